import Foundation
import HealthKit
import HealthSystem
import HeartRateVariability

/// The time in zones of effort, of each source by itself: the figures of `hrgate zones`.
struct ZonesAnswer: Codable, Sendable {
  struct Source: Codable, Sendable {
    var source: String
    var name: String
    var start: Date
    var end: Date
    /// Seconds in which the heart rate is known.
    var known: Double
    var zones: [ZoneTime]
    /// The sum of zones.
    var edwards: Double?
  }

  var sources: [Source]

  static func of(
    _ store: HKHealthStore, _ selection: NSPredicate?, in bounds: HeartRateZones, maximum: Double?
  ) async throws -> ZonesAnswer {
    let series = try await StoredHeartRates.bySource(in: store, matching: selection)
    return ZonesAnswer(
      sources: series.compactMap { source, series in Source(source, series, bounds, maximum: maximum) })
  }
}

extension ZonesAnswer.Source {
  /// - Returns: `nil` where there is no reading.
  fileprivate init?(_ source: HKSource, _ series: HeartRateSeries, _ bounds: HeartRateZones, maximum: Double?)
  {
    guard let first = series.readings.first, let last = series.readings.last,
      let window = Window(start: first.time, end: last.time + series.longestHold)
    else { return nil }
    (self.source, name) = (source.bundleIdentifier, source.name)
    (start, end) = (Date(timeIntervalSince1970: window.start), Date(timeIntervalSince1970: window.end))
    known = series.knownTime(in: window)
    zones = ZoneTime.all(of: series, in: bounds, during: window)
    edwards = maximum.flatMap { series.summatedZones(maximum: $0, during: window) }
  }
}
