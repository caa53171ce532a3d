package import Foundation
package import HealthKit
package import HeartRateVariability

/// The heart rates of a store, in seconds since 1970.
package enum StoredHeartRates {
  /// Those of each source by itself, in order of the sources' names. Of a quantity series each rate counts.
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
