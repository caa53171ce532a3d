import Foundation
import HealthKit
import HealthKitSignatures
import Testing

@testable import TestSupport

/// The `openssl` command, in a directory of its own with a key and a certificate that it created.
struct OpenSSL {
  private static let path = "/usr/bin/openssl"
  static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: path) }

  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try run("ecparam", "-name", "prime256v1", "-genkey", "-out", "key.pem")
    try makeCertificate(of: "key.pem", "certificate.pem")
  }

  func makeCertificate(of key: String, _ certificate: String) throws {
    try run("req", "-new", "-x509", "-key", key, "-subj", "/CN=\(key)", "-days", "30", "-out", certificate)
  }

  /// Runs the command in the directory, and fails the test if the command fails.
  func run(_ arguments: String...) throws {
    let (status, message) = try status(arguments)
    try #require(status == 0, "openssl \(arguments.joined(separator: " ")): \(message)")
  }

  func status(_ arguments: [String]) throws -> (Int32, message: String) {
    let process = Process()
    process.executableURL = URL(filePath: Self.path)
    process.arguments = arguments
    process.currentDirectoryURL = folder.url
    let errors = folder.url.appending(path: "errors")
    try Data().write(to: errors)
    process.standardError = try FileHandle(forWritingTo: errors)
    process.standardOutput = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: try Data(contentsOf: errors), as: UTF8.self))
  }

  func text(_ name: String) throws -> String { String(decoding: try data(name), as: UTF8.self) }
  func data(_ name: String) throws -> Data { try Data(contentsOf: folder.url.appending(path: name)) }
  func write(_ bytes: some Sequence<UInt8>, _ name: String) throws {
    try Data(bytes).write(to: folder.url.appending(path: name))
  }

  /// Returns the output of `openssl cms -sign` for a record.
  func sign(_ record: SignedRecord, _ options: [String] = ["-nodetach"], digest: String = "sha256") throws
    -> String
  {
    try write(record.derEncoded, "content.der")
    let arguments = [
      "cms", "-sign", "-binary", "-md", digest, "-outform", "DER", "-in", "content.der", "-out",
      "message.der",
    ]
    let signer = options.contains("-signer") ? [] : ["-signer", "certificate.pem", "-inkey", "key.pem"]
    let (status, message) = try status(arguments + signer + options)
    try #require(status == 0, "\(message)")
    return try data("message.der").base64EncodedString()
  }
}
