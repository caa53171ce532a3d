import Crypto
import SwiftASN1

/// The public key in an X.509 certificate. Nothing else of the certificate is read.
enum CertificateKey {
  /// - Parameter certificate: in DER.
  static func of(_ certificate: ArraySlice<UInt8>) throws -> P256.Signing.PublicKey {
    try DER.sequence(try DER.parse(certificate), identifier: .sequence) { nodes in
      guard let signed = nodes.next() else { throw unreadable }
      while nodes.next() != nil {}
      return try publicKey(signed)
    }
  }

  /// - Parameter node: TBSCertificate (RFC 5280 §4.1).
  private static func publicKey(_ node: ASN1Node) throws -> P256.Signing.PublicKey {
    try DER.sequence(node, identifier: .sequence) { nodes in
      // Absent in version 1.
      _ = try DER.optionalExplicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific) { _ in }
      // Serial number, signature algorithm, issuer, validity, subject.
      for _ in 0..<5 { _ = nodes.next() }
      guard let key = nodes.next() else { throw unreadable }
      while nodes.next() != nil {}
      return try P256.Signing.PublicKey(derRepresentation: key.encodedBytes)
    }
  }

  private static var unreadable: SignatureError {
    SignatureError(.unreadableCertificate, "not as DER encodes an X.509 certificate")
  }
}
