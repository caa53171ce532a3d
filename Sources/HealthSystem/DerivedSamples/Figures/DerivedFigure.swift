import Foundation
import HealthKit

/// The value and times of a derived sample to store.
struct DerivedFigure {
  /// The kind of derived value, which determines the sample type and its unit.
  enum Kind: CaseIterable {
    case variability
    case restingHeartRate

    var type: HKQuantityType {
      HKQuantityType(self == .variability ? .heartRateVariabilitySDNN : .restingHeartRate)
    }

    /// The types of the samples from which values are derived. Workouts are not included, because no value is
    /// derived from a workout alone.
    static let sources: [HKSampleType] = [HKSeriesType.heartbeat(), HKQuantityType(.heartRate)]

    var unit: HKUnit {
      self == .variability
        ? .secondUnit(with: .milli) : HKUnit.count().unitDivided(by: .minute())
    }
  }

  let kind: Kind
  /// The sync identifier. It identifies the window or day, whatever the value.
  let syncIdentifier: String
  let value: Double
  let start: Date
  let end: Date
  let device: HKDevice?
  /// The metadata, without the sync identifier and version.
  let metadata: [String: Any]

  /// Returns the value as a sample.
  /// - Parameter version: The sync version of the sample.
  func sample(version: Int64) throws -> HKQuantitySample {
    let own: [String: Any] = [
      HKMetadataKeySyncIdentifier: syncIdentifier, HKMetadataKeySyncVersion: NSNumber(value: version),
      HKMetadataKeyAlgorithmVersion: NSNumber(value: DerivedSource.algorithmVersion),
    ]
    return try HKQuantitySample.validated(
      type: kind.type, quantity: HKQuantity(unit: kind.unit, doubleValue: value), start: start, end: end,
      device: device, metadata: metadata.merging(own) { $1 })
  }

  /// Returns whether a stored sample already has this value and metadata.
  func isStored(as sample: HKQuantitySample) throws -> Bool {
    let same = try self.sample(version: sample.syncVersion)
    return sample.quantity.doubleValue(for: kind.unit) == value && sample.startDate == same.startDate
      && sample.endDate == same.endDate && sample.device == same.device
      && NSDictionary(dictionary: sample.metadata ?? [:]).isEqual(to: same.metadata ?? [:])
  }
}

extension HKSample {
  var syncIdentifier: String? { metadata?[HKMetadataKeySyncIdentifier] as? String }
  var syncVersion: Int64 { (metadata?[HKMetadataKeySyncVersion] as? NSNumber)?.int64Value ?? 0 }
}
