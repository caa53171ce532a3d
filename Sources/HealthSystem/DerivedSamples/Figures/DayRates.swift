import Foundation
import HealthKit
import HeartRateVariability

/// The heart rates of a day by source. They take about 35 KB for a strap worn all day.
struct DayRates: Sendable {
  let day: CalendarDay
  private(set) var sources: [HKSource: HeartRateMinutes] = [:]

  /// Creates a day without heart rates.
  init(of day: CalendarDay) { self.day = day }

  /// The number of minutes with data, over all sources. Memory use is proportional to it.
  var knownCount: Int { sources.values.reduce(0) { $0 + $1.knownCount } }

  /// Replaces the heart rates of some minutes.
  /// - Parameter series: All heart rates that are valid in these minutes, by source. A source that is missing
  ///   has no heart rate in them.
  mutating func replace(_ minutes: Range<Int>, by series: [HKSource: HeartRateSeries]) {
    guard let window = Window(start: day.start, end: day.end) else { return }
    for source in Set(sources.keys).union(series.keys) {
      // This cannot fail: `HeartRateMinutes` only rejects windows of more than two days.
      guard var known = sources[source] ?? (try? HeartRateMinutes(of: window)) else { continue }
      known.replace(minutes, by: series[source] ?? HeartRateSeries([]))
      sources[source] = known.knownCount > 0 ? known : nil
    }
  }
}

extension CalendarDay {
  var syncIdentifier: String { "\(DerivedSource.bundleIdentifier)/resting/\(name)" }

  /// Returns the resting heart rate of a day as `RestingHeartRate` defines it, for the source with the lowest
  /// value. Returns nil if no source has five minutes that qualify.
  /// - Parameters:
  ///   - rates: The heart rates of the day.
  ///   - workouts: Periods to exclude.
  func figure(of rates: DayRates, excluding workouts: [Window]) -> DerivedFigure? {
    var lowest: (rest: RestingHeartRate, source: HKSource)?
    for (source, minutes) in rates.sources.sorted(by: { $0.key.bundleIdentifier < $1.key.bundleIdentifier }) {
      guard let rest = try? minutes.restingHeartRate(excluding: workouts) else { continue }
      let key = (rest.beatsPerMinute, rest.window.start)
      if lowest.map({ key < ($0.rest.beatsPerMinute, $0.rest.window.start) }) ?? true {
        lowest = (rest, source)
      }
    }
    guard let (rest, source) = lowest else { return nil }
    return DerivedFigure(
      kind: .restingHeartRate, syncIdentifier: syncIdentifier, value: rest.beatsPerMinute,
      start: Date(timeIntervalSince1970: rest.window.start),
      end: Date(timeIntervalSince1970: rest.window.end), device: nil,
      metadata: [DerivedSource.Key.origin: source.bundleIdentifier, HKMetadataKeyTimeZone: zone])
  }
}
