import SwiftASN1

/// One signer of a message (RFC 5652 §5.3). Who it says that it is is not read: the caller's key decides.
struct SignerInfo {
  let digestAlgorithm: Algorithm
  let attributes: SignedAttributes?
  let signatureAlgorithm: Algorithm
  let signature: ArraySlice<UInt8>
}

extension SignerInfo: DERParseable {
  init(derEncoded node: ASN1Node) throws {
    self = try DER.sequence(node, identifier: .sequence) { nodes in
      guard [1, 3].contains(try Int(derEncoded: &nodes)) else {
        throw SignatureError(.notSignedData, "a signer of unknown version")
      }
      // Issuer and serial number, or the identifier of the key.
      guard let signer = nodes.next(),
        signer.identifier == .sequence || signer.identifier == Self.keyIdentifier
      else { throw SignatureError(.notSignedData, "a signer without an identifier") }
      let digestAlgorithm = try Algorithm(derEncoded: &nodes)
      let attributes = try DER.optionalImplicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific) {
        try SignedAttributes($0)
      }
      let signatureAlgorithm = try Algorithm(derEncoded: &nodes)
      let signature = try ASN1OctetString(derEncoded: &nodes).bytes
      // Attributes that are not signed, such as a time stamp: they prove nothing about the record.
      _ = DER.optionalImplicitlyTagged(&nodes, tagNumber: 1, tagClass: .contextSpecific) { _ in }
      return SignerInfo(
        digestAlgorithm: digestAlgorithm, attributes: attributes, signatureAlgorithm: signatureAlgorithm,
        signature: signature)
    }
  }

  private static let keyIdentifier = ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific)
}
