extension HKWorkoutSession {
  /// That of the configuration.
  public var activityType: HKWorkoutActivityType { workoutConfiguration.activityType }
  /// That of the configuration.
  public var locationType: HKWorkoutSessionLocationType { workoutConfiguration.locationType }
}
