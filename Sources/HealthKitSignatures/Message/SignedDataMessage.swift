import SwiftASN1

/// A CMS message of type SignedData (RFC 5652 §3, §5.1), taken apart and not yet verified.
///
/// CMS of swift-certificates verifies only what it can trace to a certificate in the message. Here a known
/// key decides, the message may carry no certificate at all, and whoever asks wants to know what is wrong; so
/// a message is read here.
struct SignedDataMessage {
  /// More signers than any device has, fewer than would cost time.
  static let mostSigners = 16

  let contentType: ASN1ObjectIdentifier
  /// nil in a detached signature, which leaves the content out.
  let content: ArraySlice<UInt8>?
  /// In DER, unread.
  let certificates: [ArraySlice<UInt8>]
  let signers: [SignerInfo]

  init(derEncoded bytes: [UInt8]) throws(SignatureError) {
    do {
      self = try Self.contentInfo(try DER.parse(bytes))
    } catch let error as SignatureError {
      throw error
    } catch let error as ASN1Error {
      throw SignatureError(.notSignedData, "not as DER encodes SignedData: \(error.code)")
    } catch {
      throw SignatureError(.notSignedData, "not as DER encodes SignedData")
    }
    guard (1...Self.mostSigners).contains(signers.count) else {
      throw SignatureError(.notSignedData, signers.isEmpty ? "nobody signed" : "too many signers")
    }
  }

  private init(
    contentType: ASN1ObjectIdentifier, content: ArraySlice<UInt8>?, certificates: [ArraySlice<UInt8>],
    signers: [SignerInfo]
  ) {
    self.contentType = contentType
    self.content = content
    self.certificates = certificates
    self.signers = signers
  }

  private static func contentInfo(_ node: ASN1Node) throws -> Self {
    try DER.sequence(node, identifier: .sequence) { nodes in
      guard try ASN1ObjectIdentifier(derEncoded: &nodes) == .signedData else {
        throw SignatureError(.notSignedData, "a CMS message of another type")
      }
      return try DER.explicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific) { try signedData($0) }
    }
  }

  private static func signedData(_ node: ASN1Node) throws -> Self {
    try DER.sequence(node, identifier: .sequence) { nodes in
      guard [1, 3, 4, 5].contains(try Int(derEncoded: &nodes)) else {
        throw SignatureError(.notSignedData, "an unknown version")
      }
      // The digest algorithms, for readers in one pass; each signer names its own again.
      guard nodes.next()?.identifier == .set else {
        throw SignatureError(.notSignedData, "no digest algorithms")
      }
      let (contentType, content) = try encapsulatedContent(nodes.next())
      let certificates = try DER.optionalImplicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific) {
        try children($0).map(\.encodedBytes)
      }
      // Revocation lists say nothing of a key that is known.
      _ = DER.optionalImplicitlyTagged(&nodes, tagNumber: 1, tagClass: .contextSpecific) { _ in }
      return Self(
        contentType: contentType, content: content, certificates: certificates ?? [],
        signers: try DER.set(of: SignerInfo.self, identifier: .set, nodes: &nodes))
    }
  }

  private static func encapsulatedContent(_ node: ASN1Node?) throws -> (
    ASN1ObjectIdentifier, ArraySlice<UInt8>?
  ) {
    guard let node else { throw SignatureError(.notSignedData, "no content info") }
    return try DER.sequence(node, identifier: .sequence) { nodes in
      let type = try ASN1ObjectIdentifier(derEncoded: &nodes)
      let content = try DER.optionalExplicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific) {
        try ASN1OctetString(derEncoded: $0).bytes
      }
      return (type, content)
    }
  }

  private static func children(_ node: ASN1Node) throws -> ASN1NodeCollection {
    guard case .constructed(let nodes) = node.content else {
      throw SignatureError(.notSignedData, "certificates are not a set")
    }
    return nodes
  }
}
