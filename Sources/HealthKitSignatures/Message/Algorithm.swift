import SwiftASN1

/// An AlgorithmIdentifier (RFC 5280 §4.1.1.2).
struct Algorithm {
  enum Parameters {
    case absent
    case null
    case present
  }

  let identifier: ASN1ObjectIdentifier
  let parameters: Parameters

  /// RFC 5754 §2: the parameters should be absent, and NULL is to be accepted.
  var isSHA256: Bool { identifier == .sha256 && parameters != .present }
  /// RFC 5758 §3.2: the parameters are absent.
  var isECDSAWithSHA256: Bool { identifier == .ecdsaWithSHA256 && parameters == .absent }
}

extension Algorithm: DERParseable {
  init(derEncoded node: ASN1Node) throws {
    self = try DER.sequence(node, identifier: .sequence) { nodes in
      let identifier = try ASN1ObjectIdentifier(derEncoded: &nodes)
      guard let parameters = nodes.next() else {
        return Algorithm(identifier: identifier, parameters: .absent)
      }
      return Algorithm(
        identifier: identifier, parameters: parameters.identifier == .null ? .null : .present)
    }
  }
}
