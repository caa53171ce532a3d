public import Crypto
import SwiftASN1
import X509

/// The key of a measuring device with the certificate that names it.
///
/// The certificate goes into each signature, for readers that look the key up by it. Our own verification
/// does not: it takes the key that its caller knows.
public struct SigningIdentity: Sendable {
  let privateKey: P256.Signing.PrivateKey
  let certificate: Certificate

  public var publicKey: P256.Signing.PublicKey { privateKey.publicKey }

  /// - Throws: `unreadableCertificate`, or `certificateOfOtherKey`.
  public init(privateKey: P256.Signing.PrivateKey, certificatePEM: String) throws(SignatureError) {
    guard let bytes = try PEMFile(certificatePEM).first("CERTIFICATE"),
      let certificate = try? Certificate(derEncoded: bytes)
    else { throw SignatureError(.unreadableCertificate, "no certificate in PEM") }
    try self.init(privateKey: privateKey, certificate: certificate)
  }

  /// - Parameter privateKeyPEM: as SEC 1 or PKCS #8, not encrypted.
  /// - Throws: also `unreadableKey`.
  public init(privateKeyPEM: String, certificatePEM: String) throws(SignatureError) {
    guard let bytes = try PEMFile(privateKeyPEM).first("PRIVATE KEY", "EC PRIVATE KEY"),
      let key = try? P256.Signing.PrivateKey(derRepresentation: bytes)
    else { throw SignatureError(.unreadableKey, "no unencrypted P-256 key in PEM") }
    try self.init(privateKey: key, certificatePEM: certificatePEM)
  }

  init(privateKey: P256.Signing.PrivateKey, certificate: Certificate) throws(SignatureError) {
    guard certificate.publicKey == Certificate.PublicKey(privateKey.publicKey) else {
      throw SignatureError(.certificateOfOtherKey, "the certificate is of another key")
    }
    self.privateKey = privateKey
    self.certificate = certificate
  }

  /// The certificate, for those who verify with other tools.
  public var certificatePEM: String {
    get throws(SignatureError) {
      do {
        return try certificate.serializeAsPEM().pemString
      } catch {
        throw SignatureError(.unreadableCertificate, "the certificate does not encode")
      }
    }
  }
}
