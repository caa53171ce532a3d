/// The reason why a record cannot be signed, or why its signature cannot be verified.
///
/// The texts name keys, fields and structures, but contain no values.
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
    /// The signature is valid, but was made with the key of a certificate in the message, which is not the
    /// known key.
    case otherKey
    /// The key signed another content.
    case digestMismatch
    /// The key signed the content, but it is not a record as `SignedRecord` defines it.
    case malformedContent

    // MARK: Signing

    /// The signed form cannot express a field.
    case unsignableRecord
    /// This kind of sample has no signed form.
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
