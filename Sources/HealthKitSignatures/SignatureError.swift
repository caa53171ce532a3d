/// Why a record cannot be signed, or why its signature cannot be verified.
///
/// The texts name keys, fields and structures, never values.
public struct SignatureError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Code: String, Hashable, Sendable {
    // MARK: What a verification finds

    /// The sample has no `HKMetadataKeyDigitalSignature`.
    case noSignature
    /// Longer than ``SignatureVerifier/longestSignature``.
    case tooLarge
    case notBase64
    /// No CMS SignedData in DER (RFC 5652 §5.1), or one without a signer.
    case notSignedData
    /// Another digest than SHA-256, or another signature than ECDSA with it.
    case unsupportedAlgorithm
    /// The key did not make this signature, or what it covers was altered since.
    case signatureMismatch
    /// The signature is sound, but was made with the key of a certificate in the message, which is not the
    /// known key.
    case otherKey
    /// The key did sign, but another content than this.
    case digestMismatch
    /// Signed by the key, but not a record as `SignedRecord` defines it.
    case malformedContent

    // MARK: What keeps a record from being signed

    /// A field that the signed form cannot express.
    case unsignableRecord
    /// A kind of sample that has no signed form.
    case unsupportedSample
    case unreadableKey
    case unreadableCertificate
    /// The certificate is of another key.
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
