import Foundation

/// Times as whole microseconds since 1970, the resolution of the store.
package enum Microseconds {
  /// Microseconds from 1970 to Foundation's reference date in 2001.
  private static let referenceDate: Int64 = 978_307_200_000_000

  /// The valid times: about 73,000 years in both directions. The difference of two valid times cannot
  /// overflow.
  static let range: ClosedRange<Int64> = -0x2000_0000_0000_0000...0x2000_0000_0000_0000

  /// Returns a date rounded to the nearest microsecond, or nil if it is NaN or out of range.
  package static func of(_ date: Date) -> Int64? {
    guard let sinceReference = Int64(exactly: (date.timeIntervalSinceReferenceDate * 1e6).rounded()) else {
      return nil
    }
    let (sum, overflow) = sinceReference.addingReportingOverflow(referenceDate)
    return overflow || !range.contains(sum) ? nil : sum
  }

  /// Returns a date like `of(_:)`, clamped to the valid range. NaN becomes the earliest time.
  package static func clamped(_ date: Date) -> Int64 {
    of(date) ?? (date.timeIntervalSinceReferenceDate > 0 ? range.upperBound : range.lowerBound)
  }

  static func clamped(_ microseconds: Int64) -> Int64 {
    min(max(microseconds, range.lowerBound), range.upperBound)
  }

  /// Returns the date of a time. Converting it back results in the same microsecond within about 140 years of
  /// 2001; beyond that, `Date` is less precise.
  package static func date(_ microseconds: Int64) -> Date {
    Date(timeIntervalSinceReferenceDate: Double(microseconds &- referenceDate) / 1e6)
  }
}
