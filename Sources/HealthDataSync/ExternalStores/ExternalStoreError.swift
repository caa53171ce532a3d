/// Why changes could not be carried over.
public struct ExternalStoreError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Whether it may pass by itself.
  public enum Outlook: Hashable, Sendable {
    /// Another attempt may succeed: the server is absent, slow or overloaded.
    case passing
    /// The server named the time to wait (Retry-After).
    case passingAfter(Duration)
    /// Somebody has to act first: a password, a right, a schema, a certificate. Attempts go on, at the
    /// longest interval, for it may have been mended.
    case lasting
  }

  /// One sentence for the user, with the remedy; no secrets, no values of samples.
  public let description: String
  public let outlook: Outlook

  public init(_ description: String, outlook: Outlook) {
    self.description = description
    self.outlook = outlook
  }

  /// What is wrong with an address, and what it should be.
  package static func address(_ sentence: String) -> ExternalStoreError {
    ExternalStoreError(sentence, outlook: .lasting)
  }
}
