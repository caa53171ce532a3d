import Foundation

/// The start and end of a sample, after validation.
///
/// The dates are kept as passed; the store rounds them to microseconds.
struct SampleInterval: Hashable, Sendable {
  let start: Date
  let end: Date

  /// Creates an interval after checking the dates and the duration.
  /// - Parameter type: The type whose duration limits apply.
  init(start: Date, end: Date, of type: HKSampleType) throws(HKValidationError) {
    guard start <= end else { throw HKValidationError("the end date must not precede the start date") }
    guard Microseconds.of(start) != nil, Microseconds.of(end) != nil else {
      throw HKValidationError("a date is out of range")
    }
    self.start = start
    self.end = end
    try check(type)
  }

  /// Creates an interval that was read from a store, without checking it.
  init(startMicroseconds start: Int64, endMicroseconds end: Int64) {
    self.start = Microseconds.date(start)
    self.end = Microseconds.date(end)
  }

  var startMicroseconds: Int64 { Microseconds.clamped(start) }
  var endMicroseconds: Int64 { Microseconds.clamped(end) }

  private func check(_ type: HKSampleType) throws(HKValidationError) {
    if end == .distantFuture {
      guard type.isOpenEnded else { throw HKValidationError("a sample of \(type) must have an end") }
      return
    }
    let durations = type.durations
    let duration = end.timeIntervalSince(start)
    guard duration <= durations.upperBound else {
      throw HKValidationError("Maximum duration for a sample of type \(type) is \(durations.upperBound)")
    }
    guard duration >= durations.lowerBound else {
      throw HKValidationError("Minimum duration for a sample of type \(type) is \(durations.lowerBound)")
    }
  }
}
