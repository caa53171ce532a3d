import Foundation
import HealthKit
import HealthKitSignatures
import Testing

@testable import TestSupport

/// Tests interoperability with OpenSSL. Skipped if openssl is not installed.
@Suite(.enabled(if: OpenSSL.isInstalled, "openssl is not installed"))
struct OpenSSLTests {
  let openSSL: OpenSSL
  let record: SignedRecord

  init() throws {
    openSSL = try OpenSSL()
    record = try SignedRecord(Device.sample())
  }

  private func verifier() throws -> SignatureVerifier {
    try SignatureVerifier(publicKeyPEM: openSSL.text("certificate.pem"))
  }

  // MARK: - Ours, read by OpenSSL

  @Test(arguments: [nil, Device.start])
  func `openssl accepts our signature and finds the record in it`(_ time: Date?) throws {
    let signature = try Device.identity.signature(of: record, at: time)
    try openSSL.write(try #require(Data(base64Encoded: signature)), "message.der")
    try openSSL.write(Device.identity.certificatePEM.utf8, "device.pem")
    try openSSL.run(
      "cms", "-verify", "-binary", "-purpose", "any", "-CAfile", "device.pem", "-inform", "DER", "-in",
      "message.der", "-out", "content.der")
    #expect(try Array(openSSL.data("content.der")) == record.derEncoded)
  }

  @Test func `openssl rejects our message with another record in it`() throws {
    var message = try #require(Data(base64Encoded: try Device.identity.signature(of: record)))
    try openSSL.write(Device.identity.certificatePEM.utf8, "device.pem")
    message.replaceSubrange(try #require(message.range(of: Data("72.5".utf8))), with: Data("72.6".utf8))
    try openSSL.write(message, "message.der")
    let (status, _) = try openSSL.status([
      "cms", "-verify", "-binary", "-purpose", "any", "-CAfile", "device.pem", "-inform", "DER", "-in",
      "message.der", "-out", "content.der",
    ])
    #expect(status != 0)
  }

  @Test func `we sign with openssl's key and certificate, and openssl accepts it`() throws {
    let identity = try SigningIdentity(
      privateKeyPEM: openSSL.text("key.pem"), certificatePEM: openSSL.text("certificate.pem"))
    try openSSL.write(
      try #require(Data(base64Encoded: try identity.signature(of: record))), "message.der")
    try openSSL.run(
      "cms", "-verify", "-binary", "-purpose", "any", "-CAfile", "certificate.pem", "-inform", "DER", "-in",
      "message.der", "-out", "content.der")
  }

  // MARK: - OpenSSL's, read by us

  @Test(arguments: [
    ["-nodetach"], ["-nodetach", "-nocerts"], ["-nodetach", "-noattr"], ["-nodetach", "-nosmimecap"],
    ["-nodetach", "-keyid"], ["-nodetach", "-cades"], ["-nodetach", "-econtent_type", "1.2.3.4"],
    ["-nodetach", "-nocerts", "-keyid", "-noattr"], [], ["-noattr", "-nocerts"],
  ])
  func `we accept openssl's signatures`(_ options: [String]) throws {
    let signature = try openSSL.sign(record, options)
    #expect(try verifier().verify(signature, of: record) == .valid)

    let other = try SignedRecord(Device.sample(value: 72))
    let verdict = try verifier().verify(signature, of: other)
    if options.contains("-nodetach") {
      #expect(verdict.fields == [.value])
    } else {
      #expect(verdict.code == (options.contains("-noattr") ? .signatureMismatch : .digestMismatch))
    }
    let stranger = Device.verifier.verify(signature, of: record)
    #expect(stranger.code == (options.contains("-nocerts") ? .signatureMismatch : .otherKey))
  }

  @Test func `base64 with openssl's line breaks is accepted`() throws {
    _ = try openSSL.sign(record)
    try openSSL.run("base64", "-in", "message.der", "-out", "message.txt")
    #expect(try verifier().verify(openSSL.text("message.txt"), of: record) == .valid)
  }

  @Test func `one known signer of two is enough`() throws {
    try openSSL.run("ecparam", "-name", "prime256v1", "-genkey", "-out", "other.pem")
    try openSSL.makeCertificate(of: "other.pem", "other-certificate.pem")
    let signature = try openSSL.sign(
      record,
      [
        "-nodetach", "-signer", "other-certificate.pem", "-inkey", "other.pem", "-signer", "certificate.pem",
        "-inkey", "key.pem",
      ])
    #expect(try verifier().verify(signature, of: record) == .valid)
    let other = try SignatureVerifier(publicKeyPEM: openSSL.text("other-certificate.pem"))
    #expect(other.verify(signature, of: record) == .valid)
    #expect(Device.verifier.verify(signature, of: record).code == .otherKey)
  }

  @Test func `other curves, digests and encodings are rejected with the reason`() throws {
    #expect(
      try verifier().verify(openSSL.sign(record, digest: "sha384"), of: record).code == .unsupportedAlgorithm)
    #expect(
      try verifier().verify(openSSL.sign(record, ["-nodetach", "-stream"]), of: record).code == .notSignedData
    )

    try openSSL.run("genrsa", "-out", "rsa.pem", "2048")
    try openSSL.makeCertificate(of: "rsa.pem", "rsa-certificate.pem")
    let rsa = try openSSL.sign(
      record, ["-nodetach", "-signer", "rsa-certificate.pem", "-inkey", "rsa.pem"])
    #expect(try verifier().verify(rsa, of: record).code == .unsupportedAlgorithm)

    try openSSL.run("ecparam", "-name", "secp384r1", "-genkey", "-out", "p384.pem")
    try openSSL.makeCertificate(of: "p384.pem", "p384-certificate.pem")
    let p384 = try openSSL.sign(
      record, ["-nodetach", "-signer", "p384-certificate.pem", "-inkey", "p384.pem"])
    #expect(try verifier().verify(p384, of: record).code == .signatureMismatch)
  }

  @Test func `a signed text that is not a record is malformed`() throws {
    try openSSL.write(Array("72 bpm".utf8), "text")
    try openSSL.run(
      "cms", "-sign", "-binary", "-nodetach", "-md", "sha256", "-outform", "DER", "-in", "text", "-out",
      "message.der", "-signer", "certificate.pem", "-inkey", "key.pem")
    let verdict = try verifier().verify(openSSL.data("message.der").base64EncodedString(), of: record)
    #expect(verdict.code == .malformedContent)
  }

  // MARK: - Keys

  @Test func `keys written by openssl are read`() throws {
    try openSSL.run("pkcs8", "-topk8", "-nocrypt", "-in", "key.pem", "-out", "pkcs8.pem")
    try openSSL.run("ec", "-in", "key.pem", "-pubout", "-out", "public.pem")
    let certificate = try openSSL.text("certificate.pem")
    for key in try [
      openSSL.text("key.pem"), openSSL.text("pkcs8.pem"), certificate + openSSL.text("key.pem"),
    ] {
      let identity = try SigningIdentity(privateKeyPEM: key, certificatePEM: certificate)
      let signature = try identity.signature(of: record)
      for key in try [openSSL.text("public.pem"), certificate] {
        #expect(try SignatureVerifier(publicKeyPEM: key).verify(signature, of: record) == .valid)
      }
    }
  }

  @Test func `openssl reads our keys`() throws {
    let key = try P256PrivateKey()
    try openSSL.write(key.pemRepresentation.utf8, "ours.pem")
    try openSSL.write(key.publicKey.pemRepresentation.utf8, "ours-public.pem")
    try openSSL.run("ec", "-in", "ours.pem", "-check", "-pubout", "-out", "derived.pem")
    #expect(try openSSL.text("derived.pem") == key.publicKey.pemRepresentation)
    try openSSL.run("pkey", "-pubin", "-in", "ours-public.pem", "-out", "read.pem")
  }

  @Test func `a key is the same in all encodings of its point`() throws {
    let certificate = try openSSL.text("certificate.pem")
    try openSSL.run("ec", "-in", "key.pem", "-pubout", "-conv_form", "compressed", "-out", "compressed.pem")
    #expect(
      try P256PublicKey(pemRepresentation: openSSL.text("compressed.pem"))
        == P256PublicKey(pemRepresentation: certificate))
  }

  @Test(arguments: ["secp384r1", "secp256k1"])
  func `a key of another curve is rejected`(_ curve: String) throws {
    try openSSL.run("ecparam", "-name", curve, "-genkey", "-noout", "-out", "other.pem")
    try openSSL.run("ec", "-in", "other.pem", "-pubout", "-out", "other-public.pem")
    #expect(throws: SignatureError.self) {
      try SignatureVerifier(publicKeyPEM: openSSL.text("other-public.pem"))
    }
    #expect(throws: SignatureError.self) {
      try P256PrivateKey(pemRepresentation: openSSL.text("other.pem"))
    }
  }

  @Test func `invalid keys and certificates of other keys are rejected`() throws {
    let (key, certificate) = try (openSSL.text("key.pem"), openSSL.text("certificate.pem"))
    func code(_ key: String, _ certificate: String) -> SignatureError.Code? {
      do {
        _ = try SigningIdentity(privateKeyPEM: key, certificatePEM: certificate)
        return nil
      } catch {
        return error.code
      }
    }
    #expect(code(key, certificate) == nil)
    #expect(code("", certificate) == .unreadableKey)
    #expect(code(key, "") == .unreadableCertificate)
    #expect(code(key, key) == .unreadableCertificate)
    #expect(code(key, Device.identity.certificatePEM) == .certificateOfOtherKey)
    try openSSL.run("ec", "-aes128", "-passout", "pass:secret", "-in", "key.pem", "-out", "encrypted.pem")
    #expect(code(try openSSL.text("encrypted.pem"), certificate) == .unreadableKey)
    #expect(throws: SignatureError.self) { try SignatureVerifier(publicKeyPEM: key) }
    #expect(throws: SignatureError.self) {
      try SignatureVerifier(publicKeyPEM: "-----BEGIN CERTIFICATE-----")
    }
  }
}
