public import Crypto
public import Foundation
import X509

extension SigningIdentity {
  /// An identity whose certificate only its own key vouches for: enough where the public key is published by
  /// other means, as the makers of devices do.
  ///
  /// - Parameters:
  ///   - commonName: what the certificate names, such as a device's serial number.
  ///   - start: the certificate's first instant; both are cut to the second.
  /// - Throws: `unreadableCertificate` for a name or dates that no certificate can hold.
  public static func selfSigned(
    _ privateKey: P256.Signing.PrivateKey = P256.Signing.PrivateKey(), commonName: String,
    validFrom start: Date,
    to end: Date
  ) throws(SignatureError) -> SigningIdentity {
    let certificate: Certificate
    do {
      let name = try DistinguishedName { CommonName(commonName) }
      let publicKey = Certificate.PublicKey(privateKey.publicKey)
      certificate = try Certificate(
        version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: publicKey, notValidBefore: start,
        notValidAfter: end, issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
        extensions: try Certificate.Extensions {
          Critical(BasicConstraints.notCertificateAuthority)
          Critical(KeyUsage(digitalSignature: true))
          // Lets a signature name the key instead of its certificate.
          SubjectKeyIdentifier(hash: publicKey)
        },
        issuerPrivateKey: Certificate.PrivateKey(privateKey))
    } catch {
      throw SignatureError(.unreadableCertificate, "no certificate can be made of this name and these dates")
    }
    return try SigningIdentity(privateKey: privateKey, certificate: certificate)
  }
}
