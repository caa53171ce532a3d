import Foundation
import Testing

/// A self-signed certificate that openssl has made.
struct OwnAuthority {
  enum Validity: String, CaseIterable {
    case now, over, toCome

    /// Arguments of `openssl ca` for this validity.
    fileprivate var arguments: [String] {
      switch self {
      case .now: ["-days", "30"]
      case .over: ["-startdate", "20200101000000Z", "-enddate", "20200201000000Z"]
      case .toCome: ["-startdate", "20900101000000Z", "-enddate", "20900201000000Z"]
      }
    }
  }

  static let isAvailable = FileManager.default.isExecutableFile(atPath: openssl)
  private static let openssl = "/usr/bin/openssl"

  private let folder: TemporaryFolder
  var certificate: String { folder.path("certificate.pem") }
  var key: String { folder.path("key.pem") }

  init(of host: String = "localhost", validity: Validity = .now) throws {
    folder = try TemporaryFolder()
    let request = folder.path("request.pem")
    let settings = try folder.file("settings", Array(Self.settings(folder.path("")).utf8))
    _ = try folder.file("index", [])
    _ = try folder.file("serial", Array("01\n".utf8))
    try Self.perform([
      "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj",
      "/CN=\(host)", "-addext", "subjectAltName=DNS:\(host)", "-keyout", key, "-out", request,
    ])
    try Self.perform(
      [
        "ca", "-batch", "-selfsign", "-notext", "-config", settings, "-keyfile", key, "-in", request, "-out",
        certificate,
      ] + validity.arguments)
  }

  private static func settings(_ folder: String) -> String {
    """
    [ca]
    default_ca = own
    [own]
    database = \(folder)/index
    serial = \(folder)/serial
    new_certs_dir = \(folder)
    default_md = sha256
    policy = names
    copy_extensions = copy
    [names]
    commonName = supplied
    """
  }

  private static func perform(_ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(filePath: openssl)
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
  }
}
