public import Foundation
import HealthKit

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

  /// To the microsecond, as samples keep it.
  public var start: Date { startInstant.date }
  public var end: Date { endInstant.date }

  /// - Parameters:
  ///   - start: in the years 1 to 9999, and not after `end`. Rounded to the microsecond.
  /// - Throws: `unsignableRecord` for a date out of range or a value that is not finite.
  public init(type: String, value: Value, start: Date, end: Date) throws(SignatureError) {
    guard let start = UTCInstant(start), let end = UTCInstant(end) else {
      throw SignatureError(.unsignableRecord, "a date is outside the years 1 to 9999")
    }
    try self.init(type: type, value: value, start: start, end: end)
  }

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
