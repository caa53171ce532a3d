import SwiftASN1

/// An attribute of a signer (RFC 5652 §5.3).
struct Attribute: DERParseable {
  let type: ASN1ObjectIdentifier
  let values: [ASN1Node]

  init(derEncoded node: ASN1Node) throws {
    (type, values) = try DER.sequence(node, identifier: .sequence) { nodes in
      let type = try ASN1ObjectIdentifier(derEncoded: &nodes)
      guard let values = nodes.next(), values.identifier == .set,
        case .constructed(let nodes) = values.content
      else { throw SignatureError(.notSignedData, "an attribute without a set of values") }
      return (type, Array(nodes))
    }
  }
}
