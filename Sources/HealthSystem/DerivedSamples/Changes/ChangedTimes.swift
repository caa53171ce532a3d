import Foundation
import HealthKit
import HealthStorage

/// The five-minute windows and the days for which derived samples (SDNN and resting heart rate) may have to
/// be recomputed.
struct ChangedTimes: Sendable {
  /// The identifiers of the types from which samples are derived.
  static let types: Set<String> = [beats, heartRate, workout]

  private static let beats = HKSeriesType.heartbeat().identifier
  private static let heartRate = HKQuantityType(.heartRate).identifier
  private static let workout = HKObjectType.workoutType().identifier

  private let zone: TimeZone
  /// Ranges of five-minute window numbers, in the order in which they were added.
  private var ranges: [ClosedRange<Int>] = []
  /// For each day, the minutes whose heart rates changed. The set is empty if only workouts changed.
  private(set) var days: [CalendarDay: RangeSet<Int>] = [:]
  /// The day of the previous change. A cache, because consecutive changes are usually on the same day.
  private var lastDay: CalendarDay?
  /// The day and minutes of the previous heart rate. A cache, because consecutive changes are usually in the
  /// same minutes.
  private var lastRates: (day: CalendarDay, minutes: Range<Int>)?

  init(in zone: TimeZone) { self.zone = zone }

  var isEmpty: Bool { ranges.isEmpty && days.isEmpty }

  mutating func add(_ span: ChangedSpan) {
    let (start, end) = (Double(span.start) / 1e6, Double(span.end) / 1e6)
    switch span.type {
    case Self.beats: addWindows(from: start, to: end)
    case Self.heartRate:
      // A heart rate stays valid for some seconds, so it may count in the next day. It also ends the validity
      // of the previous heart rate, which may be on the day before.
      let (from, to) = (start - CalendarDay.hold, end + CalendarDay.hold)
      for day in daysFrom(start, to: to) {
        let minutes = day.minutes(from: from, to: to)
        if let lastRates, lastRates.day == day, lastRates.minutes.contains(minutes) { continue }
        lastRates = (day, minutes)
        days[day, default: RangeSet()].insert(contentsOf: minutes)
      }
    case Self.workout: addDays(from: start, to: end)
    default: break
    }
  }

  mutating func addWindows(from start: Double, to end: Double) {
    let numbers = VariabilityWindow.numbers(from: start, to: end)
    if let last = ranges.last, last.lowerBound <= numbers.lowerBound,
      numbers.lowerBound <= last.upperBound + 1
    {
      ranges[ranges.count - 1] = last.lowerBound...max(last.upperBound, numbers.upperBound)
    } else {
      ranges.append(numbers)
    }
  }

  mutating func addDays(from start: Double, to end: Double) {
    for day in daysFrom(start, to: end) where days[day] == nil { days[day] = RangeSet() }
  }

  private mutating func daysFrom(_ start: Double, to end: Double) -> [CalendarDay] {
    if let lastDay, lastDay.start <= start, end < lastDay.end { return [lastDay] }
    let days = CalendarDay.days(from: start, to: end, in: zone)
    lastDay = days.last ?? lastDay
    return days
  }

  /// The windows in chronological order, in ranges of at most an hour. The beats of a range are read
  /// together.
  var stretches: some Sequence<ClosedRange<Int>> {
    merged.lazy.flatMap { range in
      stride(from: range.lowerBound, through: range.upperBound, by: Self.windowsAtOnce).lazy.map {
        $0...min($0 + Self.windowsAtOnce - 1, range.upperBound)
      }
    }
  }

  private static let windowsAtOnce = 12

  private var merged: [ClosedRange<Int>] {
    var merged: [ClosedRange<Int>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = merged.last, range.lowerBound <= last.upperBound + 1 {
        merged[merged.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
      } else {
        merged.append(range)
      }
    }
    return merged
  }
}
