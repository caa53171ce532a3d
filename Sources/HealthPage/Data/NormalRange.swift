import Foundation
import HealthKit
import HealthSystem
import HeartRateVariability

/// Compares the user's heart-rate variability over the last days with the user's normal range, which the days
/// before define.
///
/// The value of a day is the median over its five-minute windows, so a training session does not change it
/// much. The normal range is the mean of the earlier days plus or minus one standard deviation. Today does
/// not count, because it is not over. Each source is compared only with itself.
struct NormalRangesResponse: Codable, Sendable {
  struct Source: Codable, Sendable {
    var source: String
    var name: String
    /// The normal ranges by the JSON names of the measures, such as `rmssd`.
    var figures: [String: NormalRange]
  }

  /// The number of most recent complete days. Their mean is compared with the normal range.
  var days = Self.days
  /// The number of earlier days, before the last ``days`` days. They define the normal range.
  var before = Self.before
  /// The sources, sorted by name. A source with too few days is absent.
  var sources: [Source] = []

  static let (days, before) = (7, 60)
  /// The duration of a window in seconds.
  static let window = 300.0
  /// Minimum number of windows in a day. A day with fewer windows does not count.
  static let fewestWindows = 3

  static func of(
    _ store: HKHealthStore, in zone: TimeZone, now: Date
  ) async throws -> NormalRangesResponse {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    let today = calendar.startOfDay(for: now)
    guard let week = calendar.date(byAdding: .day, value: -days, to: today),
      let start = calendar.date(byAdding: .day, value: -before, to: week)
    else { return NormalRangesResponse() }
    var found: [HKSource: [Date: [String: Double]]] = [:]
    var day = start
    while day < today, let next = calendar.date(byAdding: .day, value: 1, to: day) {
      for (source, figures) in try await medians(of: DateInterval(start: day, end: next), store) {
        found[source, default: [:]][day] = figures
      }
      day = next
    }
    var response = NormalRangesResponse()
    for source in found.keys.byName {
      let byDay = found[source, default: [:]]
      var figures: [String: NormalRange] = [:]
      for name in Self.names {
        let values = byDay.compactMapValues { $0[name] }
        figures[name] = NormalRange(
          values.filter { $0.key < week }.map(\.value), values.filter { $0.key >= week }.map(\.value))
      }
      guard !figures.isEmpty else { continue }
      response.sources.append(
        Source(source: source.bundleIdentifier, name: source.name, figures: figures))
    }
    return response
  }

  /// The JSON names of the measures for which there is a normal range.
  static let names = ["meanNN", "sdnn", "rmssd", "lnRMSSD", "pnn50", "sd1", "sd2"]

  private static func medians(
    of day: DateInterval, _ store: HKHealthStore
  ) async throws -> [(HKSource, [String: Double])] {
    let beats = Selection(from: day.start, to: day.end, sources: []).predicate([])
    guard try await store.extent(of: HKSeriesType.heartbeat(), beats) != nil else { return [] }
    let plan = WindowPlan(duration: window, origin: day.start.timeIntervalSince1970)
    return try await StoredBeats.bySource(in: store, matching: beats).compactMap { beats in
      let recording = Cleaning.usual.mark(beats.segments)
      let windows = plan.windows(of: recording)
        .filter {
          $0.start >= day.start.timeIntervalSince1970 && $0.end <= day.end.timeIntervalSince1970
        }
        .compactMap { figures(of: recording.nn(in: $0)) }
      guard windows.count >= fewestWindows else { return nil }
      let medians = names.map { name in (name, NormalRange.median(windows.compactMap { $0[name] })) }
      return (beats.source, Dictionary(uniqueKeysWithValues: medians).compactMapValues(\.self))
    }
  }

  /// Returns the measures of a window, or `nil` if they cannot be computed.
  private static func figures(of series: NNSeries) -> [String: Double]? {
    guard let time = try? series.timeDomain() else { return nil }
    let plot = try? series.poincarePlot()
    return [
      "meanNN": time.meanNN, "sdnn": time.sdnn, "rmssd": time.rmssd, "lnRMSSD": time.lnRMSSD,
      "pnn50": time.pNN50(), "sd1": plot?.sd1, "sd2": plot?.sd2,
    ].compactMapValues(\.self)
  }
}

/// A measure's mean over the last days, and its normal range from the days before.
struct NormalRange: Codable, Sendable, Hashable {
  var mean: Double
  /// The bounds of the normal range: the mean of the earlier days, minus and plus one standard deviation.
  var low: Double
  var high: Double
  /// The number of last days, and of earlier days, that have a value.
  var measured: Int
  var measuredBefore: Int

  /// Minimum number of earlier days, and of last days. With fewer, the comparison would not mean much.
  static let fewestDays = 14
  static let fewestRecentDays = 3

  /// Creates a normal range from the daily values.
  /// - Returns: `nil` if there are too few days.
  init?(_ before: [Double], _ recent: [Double]) {
    guard before.count >= Self.fewestDays, recent.count >= Self.fewestRecentDays else { return nil }
    func average(_ values: [Double]) -> Double { values.reduce(0, +) / Double(values.count) }
    let middle = average(before)
    let squares = before.map { ($0 - middle) * ($0 - middle) }.reduce(0, +)
    let deviation = (squares / Double(before.count - 1)).squareRoot()
    (mean, low, high) = (average(recent), middle - deviation, middle + deviation)
    (measured, measuredBefore) = (recent.count, before.count)
  }

  static func median(_ values: [Double]) -> Double? {
    guard !values.isEmpty else { return nil }
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}
