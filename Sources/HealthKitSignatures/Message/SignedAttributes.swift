import SwiftASN1

/// What a signer signed instead of the content: attributes, with the content's digest among them (RFC 5652
/// §5.3, §11).
struct SignedAttributes {
  let contentType: ASN1ObjectIdentifier
  let messageDigest: ArraySlice<UInt8>
  /// What the signature covers: the attributes as a SET OF, not with the tag that they have in the message
  /// (§5.4).
  let signedBytes: [UInt8]

  /// - Parameter node: `[0] IMPLICIT SET OF Attribute`.
  init(_ node: ASN1Node) throws {
    let attributes = try DER.set(of: Attribute.self, identifier: node.identifier, rootNode: node)
    contentType = try ASN1ObjectIdentifier(derEncoded: try Self.value(of: .contentType, attributes))
    messageDigest = try ASN1OctetString(derEncoded: try Self.value(of: .messageDigest, attributes)).bytes
    signedBytes = [Self.setTag] + node.encodedBytes.dropFirst()
  }

  /// SET, constructed.
  private static let setTag: UInt8 = 0x31

  /// The one value of an attribute that is there once.
  private static func value(of type: ASN1ObjectIdentifier, _ attributes: [Attribute]) throws -> ASN1Node {
    let values = attributes.filter { $0.type == type }.flatMap(\.values)
    guard let value = values.first, values.count == 1 else {
      throw SignatureError(.notSignedData, "signed attribute \(type) is not there exactly once")
    }
    return value
  }
}
