import Foundation

/// The store's clock: whole microseconds since 1970.
enum Microseconds {
  /// From 1970 to Foundation's reference date, 2001.
  private static let referenceDate: Int64 = 978_307_200_000_000

  /// Rounds to the nearest microsecond; nil for a date that is not a number or beyond some 290,000 years.
  static func of(_ date: Date) -> Int64? {
    guard let sinceReference = Int64(exactly: (date.timeIntervalSinceReferenceDate * 1e6).rounded()) else {
      return nil
    }
    let (sum, overflow) = sinceReference.addingReportingOverflow(referenceDate)
    return overflow ? nil : sum
  }

  /// The date; back and forth it is the same microsecond (for some 140 years around 2001, beyond which a `Date`
  /// is coarser than that).
  static func date(_ microseconds: Int64) -> Date {
    Date(timeIntervalSinceReferenceDate: Double(microseconds &- referenceDate) / 1e6)
  }
}
