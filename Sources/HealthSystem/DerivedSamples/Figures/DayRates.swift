import HealthKit
import HeartRateVariability

/// What is known of a day's heart rates, of each source by itself: some 35 KB for a strap that is worn all
/// day.
struct DayRates: Sendable {
  let day: CalendarDay
  private(set) var sources: [HKSource: HeartRateMinutes] = [:]

  /// Nothing is known yet.
  init(of day: CalendarDay) { self.day = day }

  /// How many minutes of its sources know anything: what it takes in memory grows with them.
  var knownCount: Int { sources.values.reduce(0) { $0 + $1.knownCount } }

  /// Makes minutes anew.
  ///
  /// - Parameter series: All that there is in them and in the hold before them. A source that it has not has
  ///   nothing in them any more.
  mutating func replace(_ minutes: Range<Int>, by series: [HKSource: HeartRateSeries]) {
    guard let window = Window(start: day.start, end: day.end) else { return }
    for source in Set(sources.keys).union(series.keys) {
      // A day of no calendar is longer than two.
      guard var known = sources[source] ?? (try? HeartRateMinutes(of: window)) else { continue }
      known.replace(minutes, by: series[source] ?? HeartRateSeries([]))
      sources[source] = known.knownCount > 0 ? known : nil
    }
  }
}
