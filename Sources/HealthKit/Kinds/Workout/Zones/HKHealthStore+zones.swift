import Foundation

extension HKHealthStore {
  /// Returns the user's zones of a quantity type: the zones that the user entered, or shares of the maximum
  /// heart rate (50, 60, 70, 80 and 90 percent). The zone with index 0 is below the user's zone 1.
  ///
  /// Only the heart rate has zones. Without a stored maximum heart rate, it is estimated from the date of
  /// birth if the program may read that, too.
  /// - Returns: The zones; nil without entered zones, a maximum heart rate and a date of birth that the program
  ///   may read.
  /// - Throws: `HKError` errorAuthorizationNotDetermined if the program did not request to read the type;
  ///   errorDatabaseInaccessible.
  public func preferredWorkoutZoneConfiguration(
    for quantityType: HKQuantityType
  ) async throws -> HKWorkoutZoneConfiguration? {
    guard quantityType == HKQuantityType(.heartRate) else {
      _ = try admit(.read([quantityType]))
      return nil
    }
    let unit = HKUnit.count().unitDivided(by: .minute())
    func zones(_ rates: [Double], _ source: HKWorkoutZoneConfiguration.Source) -> HKWorkoutZoneConfiguration {
      HKWorkoutZoneConfiguration(
        quantityType, rates.map { HKQuantity(unit: unit, doubleValue: $0) }, source)
    }
    if let limits = try zoneLimits() { return zones(limits.rates.map(Double.init), .user) }
    return try maximumHeartRate(now: Date()).map { rate in
      zones([50.0, 60, 70, 80, 90].map { Double(rate.maximum) * $0 / 100 }, .system)
    }
  }
}
