import Foundation
import HealthKitSignatures
import Testing

/// Tests generated keys and certificates, and invalid ones. `OpenSSLTests` tests those of other programs.
@Suite struct KeyTests {
  private func error(_ body: () throws -> Void) -> SignatureError? {
    do {
      try body()
      return nil
    } catch {
      return error as? SignatureError
    }
  }

  @Test func `a key is read from its PEM and DER`() throws {
    let key = try P256PrivateKey()
    let publicKey = key.publicKey
    #expect(try P256PrivateKey(pemRepresentation: key.pemRepresentation).publicKey == publicKey)
    #expect(try P256PublicKey(pemRepresentation: publicKey.pemRepresentation) == publicKey)
    #expect(try P256PublicKey(derRepresentation: publicKey.derRepresentation) == publicKey)
    #expect(try P256PrivateKey().publicKey != publicKey)
    // The description must not contain the key, because it may be logged.
    #expect("\(key)" == "P-256 private key")
  }

  @Test func `a generated key makes an identity that can be read`() throws {
    let (key, start) = (try P256PrivateKey(), Date(timeIntervalSince1970: 1_700_000_000))
    let made = try SigningIdentity.selfSigned(key, commonName: "é 7", validFrom: start, to: start + 60)
    #expect(made.publicKey == key.publicKey)
    #expect(try P256PublicKey(pemRepresentation: made.certificatePEM) == key.publicKey)
    let read = try SigningIdentity(privateKeyPEM: key.pemRepresentation, certificatePEM: made.certificatePEM)
    #expect(read.certificatePEM == made.certificatePEM)
  }

  @Test func `a certificate has a valid name and dates`() throws {
    let start = Date(timeIntervalSince1970: 1_700_000_000)
    func code(_ name: String, _ start: Date, _ end: Date) -> SignatureError.Code? {
      error { _ = try SigningIdentity.selfSigned(commonName: name, validFrom: start, to: end) }?.code
    }
    #expect(code(String(repeating: "x", count: 64), start, start + 1) == nil)
    #expect(code("x", start, Date(timeIntervalSince1970: 253_402_300_799)) == nil)
    #expect(code("", start, start + 1) == .unreadableCertificate)
    #expect(code(String(repeating: "x", count: 65), start, start + 1) == .unreadableCertificate)
    for time in [253_402_300_800, 1e300, -1e300, .infinity, .nan] {
      #expect(code("x", start, Date(timeIntervalSince1970: time)) == .unreadableCertificate)
      #expect(code("x", Date(timeIntervalSince1970: time), start) == .unreadableCertificate)
    }
  }

  private static func noKey(_ reason: String) -> String {
    "the PEM file has no public key or certificate (libcrypto says: \(reason))"
  }

  @Test func `an error has libcrypto's reason`() throws {
    let key = try P256PrivateKey()
    func reason(_ pem: String) -> String? { error { _ = try P256PublicKey(pemRepresentation: pem) }?.reason }
    #expect(reason("") == Self.noKey("no start line"))
    #expect(reason(key.pemRepresentation) == Self.noKey("no start line"))
    #expect(
      reason("-----BEGIN PUBLIC KEY-----\nA*A\n-----END PUBLIC KEY-----\n")
        == Self.noKey("bad base64 decode"))
    #expect(
      reason(key.publicKey.pemRepresentation.replacing("PUBLIC KEY", with: "CERTIFICATE"))
        == "the PEM file's certificate has no readable public key (libcrypto says: wrong tag)")
    // Append a byte to the key in its DER encoding.
    #expect(
      error { _ = try P256PublicKey(derRepresentation: key.publicKey.derRepresentation + [0]) }?.code
        == .unreadableKey)
    for length in 0..<key.publicKey.derRepresentation.count {
      let cut = key.publicKey.derRepresentation.prefix(length)
      #expect(error { _ = try P256PublicKey(derRepresentation: cut) }?.code == .unreadableKey)
    }
  }

  @Test func `a point that is not on the curve is rejected`() throws {
    var bytes = try P256PrivateKey().publicKey.derRepresentation
    bytes[bytes.count - 1] ^= 1
    #expect(error { _ = try P256PublicKey(derRepresentation: bytes) }?.code == .unreadableKey)
  }

  /// In the SEC 1 form, the last 65 bytes of a private key are its public key.
  @Test func `a private key with another key's public key is rejected`() throws {
    func bytes(_ key: P256PrivateKey) throws -> Data {
      let lines = key.pemRepresentation.split(separator: "\n").filter { !$0.hasPrefix("-") }
      return try #require(Data(base64Encoded: lines.joined()))
    }
    let (one, other) = (try bytes(try P256PrivateKey()), try bytes(try P256PrivateKey()))
    func pem(_ bytes: Data) -> String {
      "-----BEGIN EC PRIVATE KEY-----\n\(bytes.base64EncodedString())\n-----END EC PRIVATE KEY-----\n"
    }
    #expect(error { _ = try P256PrivateKey(pemRepresentation: pem(one)) } == nil)
    let mixed = one.dropLast(65) + other.suffix(65)
    #expect(
      error { _ = try P256PrivateKey(pemRepresentation: pem(Data(mixed))) }?.code == .unreadableKey)
  }
}
