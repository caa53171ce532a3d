/// Determines the times of the beats in a record of heart-rate variability.
///
/// Apple writes a record's start and end with the UTC offset that the phone had at the time of the export.
/// For beats, it only writes the local time of day at the time of the measurement. The UTC offset of the
/// beats is therefore unknown, but it is a multiple of 15 minutes everywhere. As a record takes about a
/// minute, only one offset puts the beats inside it.
enum BeatClock {
  /// The start and end of a record, in microseconds since 1970.
  struct Record {
    var start: Int64
    var end: Int64
    /// The UTC offset in which the record's times are written, in seconds east of Greenwich.
    var zone: Int
  }

  /// All UTC offsets are multiples of this, in microseconds.
  private static let offsetStep: Int64 = 15 * 60_000_000
  /// How far the first beat may be outside the record, in microseconds. The record's times are truncated to
  /// whole seconds.
  private static let tolerance: Int64 = 1_000_000
  /// How far the last beat may be after the end of the record, in microseconds.
  private static let overtime: Int64 = 60_000_000

  /// Returns the time of each beat, in microseconds since 1970.
  ///
  /// - Parameters:
  ///   - hours: 12 or 24, for the kind of clock that the times are written in; `nil` to detect it.
  /// - Returns: `nil` if there is no UTC offset for which the first beat is inside the record and the others
  ///   follow it in order.
  static func times(of clock: [ClockTime], in record: Record, hours: Int64? = nil) -> [Int64]? {
    // If no hour is above 12, assume a 12-hour clock, whose hours may start from 0 or 1.
    let hours = hours ?? (clock.contains { $0.hour > 12 } ? 24 : 12)
    let span = hours * ClockTime.hourLength
    var offset = Int64(record.zone) * 1_000_000
    var times: [Int64] = []
    for time in clock {
      let lower = times.last.map { $0 + 1 } ?? record.start - tolerance
      let upper = record.end + (times.isEmpty ? tolerance : overtime)
      guard let found = fit(time, (lower, upper), &offset, span) else { return nil }
      times.append(found)
    }
    return times
  }

  /// Returns the first time in a range at which a clock shows `time`.
  ///
  /// - Parameters:
  ///   - offset: The expected UTC offset. If it does not fit, it is set to the nearest one that does, because
  ///     daylight saving time may start between two beats.
  ///   - span: 12 or 24 hours, in microseconds.
  private static func fit(
    _ time: ClockTime, _ range: (lower: Int64, upper: Int64), _ offset: inout Int64, _ span: Int64
  ) -> Int64? {
    let expected = first(time.microseconds - offset, every: span, from: range.lower)
    if expected <= range.upper { return expected }
    // With the expected UTC offset, the clock does not show the time in this range. So the range is shorter
    // than `span`, and any other UTC offset gives at most one time in it.
    let candidates = stride(
      from: first(time.microseconds, every: offsetStep, from: range.lower), through: range.upper,
      by: Int(offsetStep))
    let changes = candidates.map { candidate in
      let change = remainder(time.microseconds - candidate - offset, span)
      return (time: candidate, change: change > span / 2 ? change - span : change)
    }
    guard let nearest = changes.min(by: { abs($0.change) < abs($1.change) }) else { return nil }
    offset += nearest.change
    return nearest.time
  }

  /// Returns the first number at or after `lower` that differs from `start` by a multiple of `step`.
  private static func first(_ start: Int64, every step: Int64, from lower: Int64) -> Int64 {
    lower + remainder(start - lower, step)
  }

  /// Returns the remainder of a division, which is never negative.
  private static func remainder(_ number: Int64, _ divisor: Int64) -> Int64 {
    let rest = number % divisor
    return rest < 0 ? rest + divisor : rest
  }
}
