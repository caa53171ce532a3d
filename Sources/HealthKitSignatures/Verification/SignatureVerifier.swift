import Foundation
public import HealthKit

/// Verifies digital signatures against one known public key.
///
/// Certificates in a signature are not trusted and need not be there. The signature may be with or without
/// signed attributes, and with or without the record in it (attached or detached).
public struct SignatureVerifier: Sendable {
  /// A signature is some 1000 characters; one with a chain of certificates, a few thousand.
  public static let longestSignature = 65_536

  public let publicKey: P256PublicKey

  public init(publicKey: P256PublicKey) {
    self.publicKey = publicKey
  }

  /// - Parameter pem: a public key, or a certificate, of which only the key is used.
  /// - Throws: `unreadableKey`.
  public init(publicKeyPEM pem: String) throws(SignatureError) {
    self.init(publicKey: try P256PublicKey(pemRepresentation: pem))
  }

  /// Compares a sample with what its metadata say that it was when it was signed.
  public func verify(_ sample: HKSample) -> SignatureVerdict {
    guard let signature = sample.metadata?[HKMetadataKeyDigitalSignature] as? String else {
      return .unverifiable(
        SignatureError(.noSignature, "no \(HKMetadataKeyDigitalSignature) in the metadata"))
    }
    do {
      return verify(signature, of: try SignedRecord(sample: sample))
    } catch {
      return .unverifiable(error)
    }
  }

  /// - Parameter signature: base64, with or without line breaks.
  public func verify(_ signature: String, of record: SignedRecord) -> SignatureVerdict {
    do {
      let message = try Self.message(signature)
      guard let content = message.content else { return try verifyDetached(message, record) }
      let alterations = try signedRecord(message, content).alterations(in: record)
      return alterations.isEmpty ? .valid : .altered(alterations)
    } catch {
      return .unverifiable(error)
    }
  }

  /// The record that a signature carries, if the known key signed it.
  ///
  /// - Throws: what `verify` would call unverifiable; for a detached signature, which carries none,
  ///   `malformedContent`.
  public func signedRecord(in signature: String) throws(SignatureError) -> SignedRecord {
    let message = try Self.message(signature)
    guard let content = message.content else {
      throw SignatureError(.malformedContent, "a detached signature carries no record")
    }
    return try signedRecord(message, content)
  }

  private func signedRecord(_ message: SignedDataMessage, _ content: [UInt8]) throws(SignatureError)
    -> SignedRecord
  {
    // The signature first: nothing is read that nobody vouches for.
    try message.verify(content, with: publicKey)
    return try SignedRecord(derEncoded: content)
  }

  /// The content is what we would have signed. If it is not what was signed, nothing tells in which field.
  private func verifyDetached(_ message: SignedDataMessage, _ record: SignedRecord) throws(SignatureError)
    -> SignatureVerdict
  {
    try message.verify(record.derEncoded, with: publicKey)
    return .valid
  }

  private static func message(_ signature: String) throws(SignatureError) -> SignedDataMessage {
    guard signature.utf8.count <= longestSignature else {
      throw SignatureError(.tooLarge, "longer than \(longestSignature) bytes")
    }
    let text = signature.filter { !$0.isWhitespace }
    guard !text.isEmpty, let bytes = Data(base64Encoded: text) else {
      throw SignatureError(.notBase64, "not base64 (RFC 4648 §4)")
    }
    return try SignedDataMessage(derEncoded: Array(bytes))
  }
}
