import Foundation
import HealthDataSync
import HealthKit
import Testing

@testable import ExternalStores
@testable import TestSupport

/// Tests that TLS certificates are verified, with the authorities of the system or with a named one.
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

  @Test func `a private authority is trusted only if it is named`() async throws {
    let authority = try OwnAuthority()
    let server = try FHIRServer(tls: [authority.certificate, authority.key])
    let own = try store(server, ca: authority.certificate)
    try await own.open()
    #expect(try await own.upload(ChangePage([heartRate()])) == [])
    await own.close()
    let system = try store(server, ca: nil)
    let error = await storeError { try await system.open() }
    await system.close()
    #expect(error?.outlook == .lasting)
    #expect(error?.description.contains("?ca=/path") == true, "\(error?.description ?? "")")
  }

  @Test(arguments: [("localhost", "127.0.0.1"), ("elsewhere.example", "localhost")])
  func `a certificate of another host is reported as such`(name: String, host: String) async throws {
    let authority = try OwnAuthority(of: name)
    let server = try FHIRServer(tls: [authority.certificate, authority.key])
    let other = try store(server, host: host, ca: authority.certificate)
    let error = await storeError { try await other.open() }
    await other.close()
    #expect(error?.outlook == .lasting)
    #expect(
      error?.description
        == "the certificate of \(host) is for another host name: use the name in the certificate")
    #expect(try server.requests().isEmpty)
  }

  /// The certificate has the correct host name and authority, but it has expired or is not valid yet.
  @Test(arguments: [
    (OwnAuthority.Validity.over, "has expired: ask its administrator to renew it"),
    (.toCome, "is not valid yet: set this computer's clock"),
  ])
  func `a certificate outside its validity is reported as such`(
    validity: OwnAuthority.Validity, says: String
  ) async throws {
    let authority = try OwnAuthority(validity: validity)
    let server = try FHIRServer(tls: [authority.certificate, authority.key])
    let late = try store(server, ca: authority.certificate)
    let error = await storeError { try await late.open() }
    await late.close()
    #expect(error?.outlook == .lasting)
    #expect(error?.description.contains(says) == true, "\(error?.description ?? "")")
    #expect(try server.requests().isEmpty)
  }

  /// The first row has the results of OpenSSL. The other rows have those of GnuTLS, which libcurl uses
  /// instead on some systems (observed with libcurl-gnutls 7.88).
  @Test func `messages of both TLS libraries are understood`() {
    let meant: [Int: CertificateError] = [
      1: .ofOtherHost, 9: .notYetValid, 10: .expired, 18: .untrusted, 19: .untrusted, 20: .untrusted,
      0: .ofOtherHost, 66: .untrusted, 514: .notYetValid, 1026: .expired, 1090: .untrusted,
      2: .untrusted,
    ]
    for (result, fault) in meant {
      #expect(CertificateError(verifyResult: result) == fault, "\(result)")
    }
  }

  @Test func `a server without TLS gets no token`() async throws {
    let server = try FHIRServer()
    let plain = try store(server, ca: nil)
    let error = await storeError { try await plain.open() }
    await plain.close()
    #expect(error != nil)
    #expect(error?.description.contains("geheim") == false)
  }

  @Test func `an invalid certificate file is reported`() async throws {
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
