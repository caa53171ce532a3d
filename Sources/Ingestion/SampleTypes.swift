import HealthKit

/// The identifiers of the sample types that a heart-rate monitor produces.
enum SampleTypes {
  static let heartRate = HKQuantityTypeIdentifier.heartRate.rawValue
  static let energy = HKQuantityTypeIdentifier.activeEnergyBurned.rawValue
  static let beats = HKSeriesType.heartbeat().identifier
}
