package import HealthKit

extension HKQuantityType {
  /// The figures that the type's aggregation style allows.
  package var statisticsOptions: HKStatisticsOptions {
    aggregationStyle == .cumulative ? .cumulativeSum : [.discreteMin, .discreteMax, .discreteAverage]
  }

  /// The unit of figures that programs read: heart rates by the minute, energy in kJ, else the canonical
  /// one. It is the same for everybody; people are shown ``HKHealthStore/shownUnit(of:)``.
  package var displayUnit: HKUnit {
    switch identifier {
    case HKQuantityTypeIdentifier.heartRate.rawValue: HKUnit.count().unitDivided(by: .minute())
    case HKQuantityTypeIdentifier.activeEnergyBurned.rawValue: HKUnit.jouleUnit(with: .kilo)
    default: canonicalUnit
    }
  }
}

extension HKHealthStore {
  /// The unit in which people are shown figures of a type: the one that the user has chosen, else what is
  /// usual in their country.
  package func shownUnit(of type: HKQuantityType) async throws -> HKUnit {
    try await preferredUnits(for: [type])[type] ?? type.displayUnit
  }
}
