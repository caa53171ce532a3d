import Foundation
import HealthDataSync
import HealthKit
import SyncFHIR
import Testing

@testable import TestSupport

/// TLS: verified unless somebody says whom else to trust.
@Suite(
  .enabled(if: FHIRServer.isAvailable && OwnAuthority.isAvailable, "skipped: python3 or openssl is missing"),
  .timeLimit(.minutes(30)))
struct TrustTests {
  private func store(_ server: FHIRServer, host: String = "localhost", ca: String?) throws -> FHIRStore {
    let query = ca.map { "?ca=\($0)" } ?? ""
    return FHIRStore(
      try FHIRAddress("fhir+https://\(host):\(server.port)/fhir\(query)"), secret: "geheim",
      identity: ExternalIdentity(person: "Ada", gateway: "cellar"))
  }

  @Test func `an authority of one's own is trusted where it is named, and nowhere else`() async throws {
    let authority = try OwnAuthority()
    let server = try FHIRServer(tls: [authority.certificate, authority.key])
    let own = try store(server, ca: authority.certificate)
    try await own.open()
    #expect(try await own.carry(ChangePage([heartRate()])) == [])
    await own.close()
    let system = try store(server, ca: nil)
    let error = await storeError { try await system.open() }
    await system.close()
    #expect(error?.outlook == .lasting)
    #expect(error?.description.contains("?ca=/path") == true, "\(error?.description ?? "")")
  }

  @Test func `a certificate of another name is not trusted`() async throws {
    let authority = try OwnAuthority()
    let server = try FHIRServer(tls: [authority.certificate, authority.key])
    let other = try store(server, host: "127.0.0.1", ca: authority.certificate)
    let error = await storeError { try await other.open() }
    await other.close()
    #expect(error?.outlook == .lasting)
    #expect(error?.description.contains("certificate") == true, "\(error?.description ?? "")")
    #expect(try server.transactions().isEmpty)
  }

  @Test func `a server that speaks no TLS gets no token`() async throws {
    let server = try FHIRServer()
    let plain = try store(server, ca: nil)
    let error = await storeError { try await plain.open() }
    await plain.close()
    #expect(error != nil)
    #expect(error?.description.contains("geheim") == false)
  }

  @Test func `a file of certificates that is none is named`() async throws {
    let folder = try TemporaryFolder()
    let server = try FHIRServer()
    for path in [
      folder.path("absent"), try folder.file("empty", []), try folder.file("text", Array("x".utf8)),
    ] {
      let broken = try store(server, ca: path)
      let error = await storeError { try await broken.open() }
      #expect(error?.description.contains(path) == true)
      #expect(error?.outlook == .lasting)
    }
  }
}

/// A certificate for `localhost` that nobody signed but itself.
private struct OwnAuthority {
  static let isAvailable = FileManager.default.isExecutableFile(atPath: openssl)
  private static let openssl = "/usr/bin/openssl"

  let folder: TemporaryFolder
  var certificate: String { folder.path("certificate.pem") }
  var key: String { folder.path("key.pem") }

  init() throws {
    folder = try TemporaryFolder()
    let process = Process()
    process.executableURL = URL(filePath: Self.openssl)
    process.arguments = [
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30",
      "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out",
      certificate,
    ]
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
  }
}
