/// A field that is not as it was signed.
public struct Alteration: Hashable, Sendable {
  public let field: RecordField
  /// As text, as in the signed content; nil for a field that the signed record does not have.
  public let signed: String?
  /// The same of the record that was verified.
  public let found: String?
}

/// Without the values: it may end in a log.
extension Alteration: CustomStringConvertible {
  public var description: String { "\(field)" }
}
