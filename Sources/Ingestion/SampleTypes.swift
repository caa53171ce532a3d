import HealthKit

/// The identifiers of the types that a heart-rate monitor's frames become.
enum SampleTypes {
  static let heartRate = HKQuantityTypeIdentifier.heartRate.rawValue
  static let energy = HKQuantityTypeIdentifier.activeEnergyBurned.rawValue
  static let beats = HKSeriesType.heartbeat().identifier
}
