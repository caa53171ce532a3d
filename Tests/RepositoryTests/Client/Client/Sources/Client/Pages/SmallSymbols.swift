import Foundation
import HealthKit

/// Uses single symbols that were once missing in hrgate's HealthKit.
enum SmallSymbols: Page {
  /// Uses a property that Apple has deprecated, but that programs still use.
  private static func signed(_ record: HKVerifiableClinicalRecord) -> Data {
    // Swift 5 warns: 'jwsRepresentation' is deprecated: renamed to 'dataRepresentation'
    // Swift 6 warns: 'jwsRepresentation' is deprecated: renamed to 'dataRepresentation'
    record.jwsRepresentation
  }

  static func run() async throws {
    let configuration = HKWorkoutConfiguration()
    configuration.activityType = .cycling
    configuration.locationType = .indoor
    let session = try HKWorkoutSession(
      healthStore: HKHealthStore.inMemory(), configuration: configuration)
    try expect(session.activityType == .cycling && session.locationType == .indoor, "the session")

    let disturbances = HKQuantity(unit: .count(), doubleValue: 3)
    let classification = HKAppleSleepingBreathingDisturbancesClassification(classifying: disturbances)
    try expect(classification == .notElevated, "few disturbances")
    let all = HKAppleSleepingBreathingDisturbancesClassification.allCases
    try expect(all.map { $0.minimum.doubleValue(for: .count()) }.sorted().first == 0, "the smallest count")
  }
}
