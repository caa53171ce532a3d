/// The reason why a record cannot be signed, or why its signature cannot be verified.
///
/// The texts name keys, fields and structures, but contain no values of samples.
public struct SignatureError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of errors.
  public enum Code: String, Hashable, Sendable {
    // MARK: Verification

    /// The sample has no `HKMetadataKeyDigitalSignature`.
    case noSignature
    /// The signature is longer than ``SignatureVerifier/longestSignature``.
    case tooLarge
    case notBase64
    /// The signature is not a CMS SignedData in DER (RFC 5652 §5.1), or has no signer.
    case notSignedData
    /// The digest is not SHA-256, or the signature is not ECDSA with SHA-256.
    case unsupportedAlgorithm
    /// The key did not make this signature, or the signed data was altered.
    case signatureMismatch
    /// The signature is valid, but its key is not the caller's. It is the key of a certificate in the
    /// message.
    case otherKey
    /// The caller's key signed different content.
    case digestMismatch
    /// The caller's key signed the content, but it is not encoded as `SignedRecord` defines.
    case malformedContent

    // MARK: Signing

    /// A value or date of the sample cannot be expressed in a signed record.
    case unsignableRecord
    /// The sample does not have exactly one value, such as a heartbeat series, so it cannot be signed.
    case unsupportedSample
    case unreadableKey
    case unreadableCertificate
    /// The certificate belongs to another key.
    case certificateOfOtherKey
    case signingFailed
  }

  public let code: Code
  public let reason: String

  init(_ code: Code, _ reason: String) {
    self.code = code
    self.reason = reason
  }

  public var description: String { "\(code): \(reason)" }
}
