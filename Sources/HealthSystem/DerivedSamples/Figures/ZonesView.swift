package import Foundation
package import HealthKit
package import HeartRateVariability

/// The time that one source measured in each heart-rate zone. `hrgate zones --json` and the page encode it as
/// JSON. The field names are stable.
package struct ZonesView: Codable, Sendable {
  package var source: String
  /// The display name of the source. Set only for the page.
  package var name: String?
  package var start: Date
  package var end: Date
  /// Number of seconds for which the heart rate is known.
  package var known: Double
  package var zones: [ZoneTime]
  package var edwards: Double?
  package var banister: Double?

  /// Returns the time in each zone, for each source with heart rates in the period.
  /// - Parameter holdsLast: Whether the last heart rate counts for the longest time that a heart rate is valid.
  ///   `false` for a session that is still being measured, which would otherwise have more time than elapsed.
  package static func bySource(
    in store: HKHealthStore, matching predicate: NSPredicate?, in bounds: HeartRateZones, maximum: Double?,
    impulse: TrainingImpulse? = nil, holdsLast: Bool = true
  ) async throws -> [(source: HKSource, zones: ZonesView)] {
    try await StoredHeartRates.bySource(in: store, matching: predicate).compactMap { source, series in
      guard let first = series.readings.first, let last = series.readings.last,
        let window = Window(start: first.time, end: last.time + (holdsLast ? series.longestHold : 0))
      else { return nil }
      let zones = ZonesView(
        source: source.bundleIdentifier,
        start: Date(timeIntervalSince1970: window.start), end: Date(timeIntervalSince1970: window.end),
        known: series.knownTime(in: window),
        zones: ZoneTime.all(of: series, in: bounds, during: window),
        edwards: maximum.flatMap { series.summatedZones(maximum: $0, during: window) },
        banister: impulse.map { series.trainingImpulse($0, during: window) })
      return (source, zones)
    }
  }
}
