/// What a digital signature covers: a copy of a sample's type, value, unit, start and end.
///
/// Its encoding is in `derEncoded`.
public struct SignedRecord: Hashable, Sendable {
  public enum Value: Hashable, Sendable {
    /// The number as it stands with its unit; nothing is converted.
    case quantity(Double, unit: String)
    /// A category sample's value, which has no unit.
    case category(Int)
  }

  /// The raw string of the type's identifier.
  public let type: String
  public let value: Value
  let startInstant: UTCInstant
  let endInstant: UTCInstant

  /// - Throws: `unsignableRecord`.
  init(type: String, value: Value, start: UTCInstant, end: UTCInstant) throws(SignatureError) {
    guard start <= end else { throw SignatureError(.unsignableRecord, "the end precedes the start") }
    if case .quantity(let number, _) = value, !number.isFinite {
      throw SignatureError(.unsignableRecord, "the value is not finite")
    }
    self.type = type
    self.value = value
    startInstant = start
    endInstant = end
  }
}

/// Without the value: it may end in a log.
extension SignedRecord: CustomStringConvertible {
  public var description: String { "signed record of \(type)" }
}
