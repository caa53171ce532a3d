import Foundation
import HealthKit
import HealthStorage

/// Of which windows and days the figures may be others than they were.
struct ChangedTimes: Sendable {
  /// What figures are derived from.
  static let types: Set<String> = [beats, heartRate, workout]

  private static let beats = HKSeriesType.heartbeat().identifier
  private static let heartRate = HKQuantityType(.heartRate).identifier
  private static let workout = HKObjectType.workoutType().identifier

  private let zone: TimeZone
  /// Numbers of windows, in the order in which they were met.
  private var ranges: [ClosedRange<Int>] = []
  /// Days, and the minutes of each whose heart rates may be others; none where only workouts are.
  private(set) var days: [CalendarDay: RangeSet<Int>] = [:]
  /// Most changes are of the day that the one before was of.
  private var lastDay: CalendarDay?
  /// Most changes are of minutes that the one before was of.
  private var lastRates: (day: CalendarDay, minutes: Range<Int>)?

  init(in zone: TimeZone) { self.zone = zone }

  var isEmpty: Bool { ranges.isEmpty && days.isEmpty }

  mutating func add(_ span: ChangedSpan) {
    let (start, end) = (Double(span.start) / 1e6, Double(span.end) / 1e6)
    switch span.type {
    case Self.beats: addWindows(from: start, to: end)
    case Self.heartRate:
      // A rate holds for some seconds, over midnight too, and ends the hold of the one before.
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

  /// The windows in order of time, in stretches that are read at once: an hour of them at most.
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
