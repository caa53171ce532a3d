import Foundation

/// The intervals of a statistics collection: anchor + k · components for every integer k, without gaps.
///
/// Days, weeks, months and years follow the calendar of the components, or the current calendar if they have
/// none: a day on which daylight saving time starts has 23 hours. Hours and smaller units are exact
/// durations.
///
/// Alternatively, `init(only:_:)` creates three intervals: a single range, the time before it and the time
/// after it.
struct StatisticsIntervals: Sendable {
  struct Bounds: Hashable, Sendable {
    var index: Int
    /// The start in microseconds since 1970. It belongs to the interval, but the end does not.
    var start: Int64
    var end: Int64

    func contains(_ time: Int64) -> Bool { start <= time && time < end }
  }

  private let anchor: Int64
  private let components: DateComponents
  private let calendar: Calendar
  /// The length of an interval in microseconds. It is an estimate if the length depends on the calendar.
  private let length: Int64
  private let isExact: Bool
  /// The bounds of the single range; nil if there are repeating intervals.
  private let only: Range<Int64>?

  /// Creates repeating intervals.
  /// - Throws: `HKValidationError` if a component is negative or the components do not add up to a positive
  ///   duration.
  init(anchor: Date, components: DateComponents) throws(HKValidationError) {
    let parts = [
      components.year, components.month, components.weekOfYear, components.day, components.hour,
      components.minute, components.second, components.nanosecond,
    ]
    // Reject negative components, because whether, for example, a month minus 30 days is positive depends on
    // the calendar.
    guard parts.allSatisfy({ $0 ?? 0 >= 0 }) else {
      throw HKValidationError("no component of the interval of a statistics collection may be negative")
    }
    self.anchor = Microseconds.clamped(anchor)
    self.components = components
    var calendar = components.calendar ?? .current
    if let zone = components.timeZone { calendar.timeZone = zone }
    self.calendar = calendar
    let days =
      Double(components.year ?? 0) * 365.2425 + Double(components.month ?? 0) * 30.436875
      + Double(components.weekOfYear ?? 0) * 7 + Double(components.day ?? 0)
    let seconds =
      Double(components.hour ?? 0) * 3600 + Double(components.minute ?? 0) * 60
      + Double(components.second ?? 0) + Double(components.nanosecond ?? 0) / 1e9
    let length = ((days * 86400 + seconds) * 1e6).rounded()
    guard length >= 1, length < Double(Microseconds.range.upperBound) else {
      throw HKValidationError("the interval of a statistics collection must be positive")
    }
    self.length = Int64(length)
    isExact = days == 0
    only = nil
  }

  /// Creates a single range, which has index 0. It is at least one microsecond long.
  /// - Parameters:
  ///   - start: The start; nil for no lower bound.
  ///   - end: The end; nil for no upper bound.
  init(only start: Date?, _ end: Date?) {
    let start = start.map(Microseconds.clamped) ?? Microseconds.range.lowerBound
    only = start..<max(start + 1, end.map(Microseconds.clamped) ?? Microseconds.range.upperBound)
    anchor = start
    (components, calendar) = (DateComponents(), .current)
    (length, isExact) = (.max, true)
  }

  /// Returns the interval that contains a time, or nil if it is beyond the range of the calendar.
  func bounds(at time: Int64) -> Bounds? {
    let time = Microseconds.clamped(time)
    var bounds = bounds(Self.floorDivide(time - anchor, length))
    // The index was computed from an estimated length. Correct it step by step; each step removes most of the
    // error.
    for _ in 0..<64 where !bounds.contains(time) {
      let isEarlier = time < bounds.start
      let distance = isEarlier ? bounds.start - time : time - bounds.end
      let steps = max(1, Int(distance / length))
      bounds = self.bounds(bounds.index + (isEarlier ? -steps : steps))
    }
    return bounds.contains(time) ? bounds : nil
  }

  /// Returns the approximate number of intervals in a duration.
  func count(in duration: Int64) -> Int { Int(duration / length) + 1 }

  func bounds(_ index: Int) -> Bounds {
    Bounds(index: index, start: start(index), end: start(index + 1))
  }

  private func start(_ index: Int) -> Int64 {
    if let only { return index == 0 ? only.lowerBound : index == 1 ? only.upperBound : Self.end(index) }
    if isExact {
      let (offset, overflow) = Int64(index).multipliedReportingOverflow(by: length)
      return overflow ? Self.end(index) : Microseconds.clamped(anchor &+ offset)
    }
    guard let components = multiplied(by: index) else { return Self.end(index) }
    let date = calendar.date(byAdding: components, to: Microseconds.date(anchor))
    return date.map(Microseconds.clamped) ?? Self.end(index)
  }

  /// Returns the start of an interval whose dates cannot be computed: the earliest valid time before the
  /// anchor, the latest valid time after the anchor.
  private static func end(_ index: Int) -> Int64 {
    index < 0 ? Microseconds.range.lowerBound : Microseconds.range.upperBound
  }

  /// Returns the components multiplied by a factor. Intervals are computed from the anchor, not from the
  /// previous interval, because adding months one at a time would permanently turn the 31st into an earlier
  /// day.
  /// - Returns: Nil if a component is out of range.
  private func multiplied(by factor: Int) -> DateComponents? {
    var isInRange = true
    func times(_ value: Int?) -> Int? {
      guard let (product, overflow) = value?.multipliedReportingOverflow(by: factor) else { return nil }
      if overflow { isInRange = false }
      return product
    }
    var product = DateComponents()
    product.year = times(components.year)
    product.month = times(components.month)
    product.weekOfYear = times(components.weekOfYear)
    product.day = times(components.day)
    product.hour = times(components.hour)
    product.minute = times(components.minute)
    product.second = times(components.second)
    product.nanosecond = times(components.nanosecond)
    return isInRange ? product : nil
  }

  private static func floorDivide(_ dividend: Int64, _ divisor: Int64) -> Int {
    let (quotient, remainder) = dividend.quotientAndRemainder(dividingBy: divisor)
    return Int(remainder < 0 ? quotient - 1 : quotient)
  }
}
