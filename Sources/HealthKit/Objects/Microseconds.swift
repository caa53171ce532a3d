import Foundation

/// The store's clock: whole microseconds since 1970.
package enum Microseconds {
  /// From 1970 to Foundation's reference date, 2001.
  private static let referenceDate: Int64 = 978_307_200_000_000

  /// Some 73,000 years to either side: differences of two times cannot overflow.
  static let range: ClosedRange<Int64> = -0x2000_0000_0000_0000...0x2000_0000_0000_0000

  /// Rounds to the nearest microsecond; nil for a date that is not a number or out of range.
  package static func of(_ date: Date) -> Int64? {
    guard let sinceReference = Int64(exactly: (date.timeIntervalSinceReferenceDate * 1e6).rounded()) else {
      return nil
    }
    let (sum, overflow) = sinceReference.addingReportingOverflow(referenceDate)
    return overflow || !range.contains(sum) ? nil : sum
  }

  /// As `of`, but a date out of range is the nearest in range, and one that is not a number the earliest.
  package static func clamped(_ date: Date) -> Int64 {
    of(date) ?? (date.timeIntervalSinceReferenceDate > 0 ? range.upperBound : range.lowerBound)
  }

  static func clamped(_ microseconds: Int64) -> Int64 {
    min(max(microseconds, range.lowerBound), range.upperBound)
  }

  /// The date; back and forth it is the same microsecond (for some 140 years around 2001, beyond which a
  /// `Date` is coarser than that).
  package static func date(_ microseconds: Int64) -> Date {
    Date(timeIntervalSinceReferenceDate: Double(microseconds &- referenceDate) / 1e6)
  }
}
