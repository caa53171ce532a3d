import Foundation
import HealthKit

/// A figure to store.
struct DerivedFigure {
  /// The type of a figure, with the unit in which it is stored.
  enum Kind: CaseIterable {
    case variability
    case restingHeartRate

    var type: HKQuantityType {
      HKQuantityType(self == .variability ? .heartRateVariabilitySDNN : .restingHeartRate)
    }

    /// The types whose samples determine the times of figures. A workout alone gives no figure.
    static let sources: [HKSampleType] = [HKSeriesType.heartbeat(), HKQuantityType(.heartRate)]

    var unit: HKUnit {
      self == .variability
        ? .secondUnit(with: .milli) : HKUnit.count().unitDivided(by: .minute())
    }
  }

  let kind: Kind
  /// The identifier of the window or day, independent of the value.
  let syncIdentifier: String
  let value: Double
  let start: Date
  let end: Date
  let device: HKDevice?
  /// The metadata without the sync identifier and its version.
  let metadata: [String: Any]

  /// Returns the figure as a sample.
  /// - Parameter version: The sync version.
  func sample(version: Int64) throws -> HKQuantitySample {
    let own: [String: Any] = [
      HKMetadataKeySyncIdentifier: syncIdentifier, HKMetadataKeySyncVersion: NSNumber(value: version),
      HKMetadataKeyAlgorithmVersion: NSNumber(value: DerivedSource.algorithmVersion),
    ]
    return try HKQuantitySample.validated(
      type: kind.type, quantity: HKQuantity(unit: kind.unit, doubleValue: value), start: start, end: end,
      device: device, metadata: metadata.merging(own) { $1 })
  }

  /// Returns whether a stored sample is the same as this figure.
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
