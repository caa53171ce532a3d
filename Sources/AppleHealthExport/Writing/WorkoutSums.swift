import HealthKit

/// The totals of a workout by the types under which an export has them.
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

  /// What the distance is one of: a workout has one, and does not say.
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
