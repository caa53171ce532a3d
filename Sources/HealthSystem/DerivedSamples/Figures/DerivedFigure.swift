import Foundation
import HealthKit

/// A figure as it should be in the store, whatever is there now.
struct DerivedFigure {
  /// The type, and the unit that its figures are stored in.
  enum Kind: CaseIterable {
    case variability
    case restingHeartRate

    var type: HKQuantityType {
      HKQuantityType(self == .variability ? .heartRateVariabilitySDNN : .restingHeartRate)
    }

    /// The types whose times tell which figures there may be. Of a workout alone there is none.
    static let sources: [HKSampleType] = [HKSeriesType.heartbeat(), HKQuantityType(.heartRate)]

    var unit: HKUnit {
      self == .variability
        ? .secondUnit(with: .milli) : HKUnit.count().unitDivided(by: .minute())
    }
  }

  let kind: Kind
  /// What stands for the same window or day, whatever the figure is.
  let syncIdentifier: String
  let value: Double
  let start: Date
  let end: Date
  let device: HKDevice?
  /// Without the sync identifier and its version.
  let metadata: [String: Any]

  /// - Parameter version: Of its sync identifier.
  func sample(version: Int64) throws -> HKQuantitySample {
    let own: [String: Any] = [
      HKMetadataKeySyncIdentifier: syncIdentifier, HKMetadataKeySyncVersion: NSNumber(value: version),
      HKMetadataKeyAlgorithmVersion: NSNumber(value: DerivedSource.algorithmVersion),
    ]
    return try HKQuantitySample.validated(
      type: kind.type, quantity: HKQuantity(unit: kind.unit, doubleValue: value), start: start, end: end,
      device: device, metadata: metadata.merging(own) { $1 })
  }

  /// Whether a stored sample says the same.
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
