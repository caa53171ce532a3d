public import Foundation

extension SignedRecord {
  /// - Parameters:
  ///   - start: in the years 1 to 9999, and not after `end`. Rounded to the microsecond, as the store does.
  /// - Throws: `unsignableRecord` for a date out of range or a value that is not finite.
  public init(type: String, value: Value, start: Date, end: Date) throws(SignatureError) {
    guard let start = UTCInstant(start), let end = UTCInstant(end) else {
      throw SignatureError(.unsignableRecord, "a date is outside the years 1 to 9999")
    }
    try self.init(type: type, value: value, start: start, end: end)
  }

  public var start: Date { startInstant.date }
  public var end: Date { endInstant.date }
}
