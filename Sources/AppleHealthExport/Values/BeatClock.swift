/// Determines the times of a list of beats.
///
/// Apple writes a record's start and end with the phone's UTC offset at the time of the export, but beats in
/// the local time at the time of the measurement. A beat's time of day is therefore known except for the
/// offset, which is a multiple of 15 minutes in all zones. The record, which takes about a minute, determines
/// the offset.
enum BeatClock {
  /// The time of a record, in microseconds since 1970.
  struct Record {
    var start: Int64
    var end: Int64
    /// The offset of the record's printed times, in seconds east of Greenwich.
    var zone: Int
  }

  /// The offsets of all zones from UTC are multiples of this.
  private static let offsetStep: Int64 = 15 * 60_000_000
  /// Tolerance in microseconds: record times are truncated to whole seconds.
  private static let tolerance: Int64 = 1_000_000
  /// Maximum time in microseconds by which a list may exceed its record.
  private static let overtime: Int64 = 60_000_000

  /// Returns the time of each beat, in microseconds since 1970.
  ///
  /// - Parameters:
  ///   - hours: The length of the clock, 12 or 24; `nil` to detect it.
  /// - Returns: `nil` if no offset puts the first beat inside the record, and the others after it in order.
  static func times(of clock: [ClockTime], in record: Record, hours: Int64? = nil) -> [Int64]? {
    // A 12-hour clock may count from 0 or from 1.
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

  /// Returns the first time in a range at which the clock shows `time`.
  ///
  /// - Parameters:
  ///   - offset: The expected offset. If it does not fit, the nearest one that fits is used from now on:
  ///     daylight saving time may start between two beats.
  ///   - span: The length of the clock, in microseconds.
  private static func fit(
    _ time: ClockTime, _ range: (lower: Int64, upper: Int64), _ offset: inout Int64, _ span: Int64
  ) -> Int64? {
    let expected = first(time.microseconds - offset, every: span, from: range.lower)
    if expected <= range.upper { return expected }
    // The remaining range is shorter than the clock.
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

  /// Returns the first of `start`, `start` ± `step`, … that is not before `lower`.
  private static func first(_ start: Int64, every step: Int64, from lower: Int64) -> Int64 {
    lower + remainder(start - lower, step)
  }

  /// Returns the non-negative remainder.
  private static func remainder(_ number: Int64, _ divisor: Int64) -> Int64 {
    let rest = number % divisor
    return rest < 0 ? rest + divisor : rest
  }
}
