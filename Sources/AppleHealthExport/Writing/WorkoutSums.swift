import HealthKit

/// The total energy and distance of a workout, with the quantity types under which an export lists them.
enum WorkoutSums {
  static func of(_ workout: HKWorkout) -> [(type: HKQuantityTypeIdentifier, sum: HKQuantity)] {
    let sums: [(HKQuantityTypeIdentifier, HKQuantity?)] = [
      (.activeEnergyBurned, workout.totalEnergyBurned),
      (distanceType(of: workout.workoutActivityType), workout.totalDistance),
      (.swimmingStrokeCount, workout.totalSwimmingStrokeCount),
      (.flightsClimbed, workout.totalFlightsClimbed),
    ]
    return sums.compactMap { type, sum in sum.map { (type, $0) } }
  }

  /// Returns the quantity type of a workout's distance, which HealthKit does not store with the workout.
  private static func distanceType(of activity: HKWorkoutActivityType) -> HKQuantityTypeIdentifier {
    switch activity {
    case .cycling, .handCycling: .distanceCycling
    case .swimming: .distanceSwimming
    case .wheelchairWalkPace, .wheelchairRunPace: .distanceWheelchair
    case .downhillSkiing, .snowboarding: .distanceDownhillSnowSports
    default: .distanceWalkingRunning
    }
  }
}
