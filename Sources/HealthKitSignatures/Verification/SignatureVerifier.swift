import Foundation
public import HealthKit

/// Verifies digital signatures with one public key that the caller trusts.
///
/// Certificates in a signature are optional and not trusted. Signed attributes are optional. The signature
/// may contain the record (attached) or not (detached).
///
/// ```swift
/// let verifier = try SignatureVerifier(publicKeyPEM: pem)
/// if verifier.verify(sample).isValid { print("signed by the device") }
/// ```
public struct SignatureVerifier: Sendable {
  /// Maximum number of characters in a signature. A typical one has about 1,000, and one with a chain of
  /// certificates a few thousand.
  public static let longestSignature = 65_536

  /// The public key that the caller trusts.
  public let publicKey: P256PublicKey

  public init(publicKey: P256PublicKey) {
    self.publicKey = publicKey
  }

  /// Creates a verifier.
  ///
  /// - Parameter pem: A public key, or a certificate that contains it.
  /// - Throws: `unreadableKey`.
  public init(publicKeyPEM pem: String) throws(SignatureError) {
    self.init(publicKey: try P256PublicKey(pemRepresentation: pem))
  }

  /// Verifies a sample against the signature in its metadata.
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

  /// Verifies a record against a signature.
  ///
  /// - Parameter signature: Base64 with or without line breaks.
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

  /// Returns the record that a signature contains, if the trusted key signed it.
  ///
  /// - Throws: The error with which `verify` returns `unverifiable`; `malformedContent` for a detached
  ///   signature, which contains no record.
  public func signedRecord(in signature: String) throws(SignatureError) -> SignedRecord {
    let message = try Self.message(signature)
    guard let content = message.content else {
      throw SignatureError(.malformedContent, "the signature is detached: the message has no record")
    }
    return try signedRecord(message, content)
  }

  private func signedRecord(_ message: SignedDataMessage, _ content: [UInt8]) throws(SignatureError)
    -> SignedRecord
  {
    // Verify before decoding, so that content from an unknown signer is never parsed.
    try message.verify(content, with: publicKey)
    return try SignedRecord(derEncoded: content)
  }

  /// Verifies a detached signature against the encoded record. On a mismatch, it is unknown which field was
  /// altered.
  private func verifyDetached(_ message: SignedDataMessage, _ record: SignedRecord) throws(SignatureError)
    -> SignatureVerdict
  {
    try message.verify(record.derEncoded, with: publicKey)
    return .valid
  }

  private static func message(_ signature: String) throws(SignatureError) -> SignedDataMessage {
    guard signature.utf8.count <= longestSignature else {
      throw SignatureError(.tooLarge, "the signature is longer than \(longestSignature) bytes")
    }
    let text = signature.filter { !$0.isWhitespace }
    guard !text.isEmpty, let bytes = Data(base64Encoded: text) else {
      throw SignatureError(.notBase64, "the signature is not Base64 (RFC 4648 §4)")
    }
    return try SignedDataMessage(derEncoded: Array(bytes))
  }
}
