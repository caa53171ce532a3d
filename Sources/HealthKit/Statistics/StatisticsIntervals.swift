import Foundation

/// The intervals of a statistics collection: anchor + k · components for every whole k, without gaps.
///
/// Days, weeks, months and years follow the calendar of the components (the current one if they have none): a
/// day with a change to summer time has 23 hours. Hours and less are exact durations.
///
/// Or they are three: one time, what is before it, and what is after it.
struct StatisticsIntervals: Sendable {
  struct Bounds: Hashable, Sendable {
    var index: Int
    /// Microseconds; the interval is start..<end.
    var start: Int64
    var end: Int64

    func contains(_ time: Int64) -> Bool { start <= time && time < end }
  }

  private let anchor: Int64
  private let components: DateComponents
  private let calendar: Calendar
  /// The length of an interval: exact, or about so much if the calendar decides.
  private let length: Int64
  private let isExact: Bool
  /// The bounds of the one time; nil where intervals repeat.
  private let only: Range<Int64>?

  /// - Throws: if a component is negative, or they do not add up to a positive time.
  init(anchor: Date, components: DateComponents) throws(HKValidationError) {
    let parts = [
      components.year, components.month, components.weekOfYear, components.day, components.hour,
      components.minute, components.second, components.nanosecond,
    ]
    // A month less 30 days is positive or not, as the calendar has it.
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

  /// The interval 0 is this time, of at least a microsecond.
  /// - Parameters:
  ///   - start: nil leaves it open.
  ///   - end: nil leaves it open.
  init(only start: Date?, _ end: Date?) {
    let start = start.map(Microseconds.clamped) ?? Microseconds.range.lowerBound
    only = start..<max(start + 1, end.map(Microseconds.clamped) ?? Microseconds.range.upperBound)
    anchor = start
    (components, calendar) = (DateComponents(), .current)
    (length, isExact) = (.max, true)
  }

  /// The interval that holds a time; nil where the calendar reaches no further.
  func bounds(at time: Int64) -> Bounds? {
    let time = Microseconds.clamped(time)
    var bounds = bounds(Self.floorDivide(time - anchor, length))
    // The length is an estimate, of which another calendar's years and months may differ: each step corrects
    // most of what is left.
    for _ in 0..<64 where !bounds.contains(time) {
      let isEarlier = time < bounds.start
      let distance = isEarlier ? bounds.start - time : time - bounds.end
      let steps = max(1, Int(distance / length))
      bounds = self.bounds(bounds.index + (isEarlier ? -steps : steps))
    }
    return bounds.contains(time) ? bounds : nil
  }

  /// About how many intervals a time has.
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

  /// Of all time, on the side of an interval.
  private static func end(_ index: Int) -> Int64 {
    index < 0 ? Microseconds.range.lowerBound : Microseconds.range.upperBound
  }

  /// From the anchor, not from the interval before: a month after the 31st and back would not be the 31st.
  /// - Returns: nil if a component is out of range.
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
