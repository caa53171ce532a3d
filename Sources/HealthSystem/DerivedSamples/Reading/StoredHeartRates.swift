package import Foundation
package import HealthKit
package import HeartRateVariability

/// The heart rates in a store, with times in seconds since 1970.
package enum StoredHeartRates {
  /// Returns the heart rates of each source, sorted by source name. A quantity series contributes all of its
  /// values.
  package static func bySource(
    in store: HKHealthStore, matching predicate: NSPredicate?
  ) async throws -> [(source: HKSource, series: HeartRateSeries)] {
    let readings = try await store.reduceQuantities(
      into: [HKSource: [HeartRateReading]](),
      .quantitySample(type: HKQuantityType(.heartRate), predicate: predicate),
      in: HKUnit.count().unitDivided(by: .minute())
    ) { readings, rate in
      guard let reading = HeartRateReading(time: rate.start, beatsPerMinute: rate.value) else { return }
      readings[rate.source, default: []].append(reading)
    }
    return readings.map { (source: $0.key, series: HeartRateSeries($0.value)) }
      .sorted { ($0.source.name, $0.source.bundleIdentifier) < ($1.source.name, $1.source.bundleIdentifier) }
  }
}

/// The time spent in a heart-rate zone: an element of the JSON of `hrgate zones`.
package struct ZoneTime: Codable, Sendable {
  /// The number of the zone. Zone 0 is below the first lower bound.
  package var zone: Int
  /// The lower bound in beats per minute. Missing in zone 0.
  package var lower: Double?
  /// The upper bound in beats per minute. Missing in the last zone.
  package var upper: Double?
  /// The time in the zone in seconds.
  package var seconds: Double

  /// Returns the time in each zone during a window, starting with zone 0.
  package static func all(
    of series: HeartRateSeries, in zones: HeartRateZones, during window: Window
  ) -> [ZoneTime] {
    series.time(in: zones, during: window).enumerated().map { zone, seconds in
      ZoneTime(
        zone: zone, lower: zone > 0 ? zones.bounds[zone - 1] : nil,
        upper: zone < zones.bounds.count ? zones.bounds[zone] : nil, seconds: seconds)
    }
  }
}
