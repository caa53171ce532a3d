package import HealthKit

extension HKQuantityType {
  /// The figures that the type's aggregation style allows.
  package var statisticsOptions: HKStatisticsOptions {
    aggregationStyle == .cumulative ? .cumulativeSum : [.discreteMin, .discreteMax, .discreteAverage]
  }

  /// The unit in which figures of the type are shown: heart rates by the minute, energy in kJ, else the
  /// canonical one.
  package var displayUnit: HKUnit {
    switch identifier {
    case HKQuantityTypeIdentifier.heartRate.rawValue: HKUnit.count().unitDivided(by: .minute())
    case HKQuantityTypeIdentifier.activeEnergyBurned.rawValue: HKUnit.jouleUnit(with: .kilo)
    default: canonicalUnit
    }
  }
}
