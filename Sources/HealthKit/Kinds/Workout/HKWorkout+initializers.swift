public import Foundation

extension HKWorkout {
  /// Returns a new workout after checking values that come from outside the program.
  ///
  /// ```swift
  /// let workout = try HKWorkout.validated(
  ///   activityType: .running, start: start, end: end,
  ///   totalDistance: HKQuantity(unit: .meter(), doubleValue: 5000))
  /// ```
  ///
  /// - Parameters:
  ///   - workoutEvents: Must be within the workout and not start with a resume. They are sorted by time.
  ///   - duration: In seconds; nil or 0 to compute it from dates and events.
  /// - Throws: `HKValidationError` if the end is before the start, an event is outside the workout, the
  ///   duration is negative, the unit of a total does not fit, or the metadata is invalid.
  public class func validated(
    activityType: HKWorkoutActivityType, start: Date, end: Date, workoutEvents: [HKWorkoutEvent]? = nil,
    duration: TimeInterval? = nil, totalEnergyBurned: HKQuantity? = nil, totalDistance: HKQuantity? = nil,
    totalSwimmingStrokeCount: HKQuantity? = nil, totalFlightsClimbed: HKQuantity? = nil,
    device: HKDevice? = nil, metadata: [String: Any]? = nil
  ) throws(HKValidationError) -> HKWorkout {
    let parts = Parts(
      activityType: activityType,
      events: workoutEvents?.sorted { $0.dateInterval.start < $1.dateInterval.start },
      duration: duration == 0 ? nil : duration,
      totals: WorkoutTotals(
        energyBurned: totalEnergyBurned, distance: totalDistance,
        swimmingStrokeCount: totalSwimmingStrokeCount, flightsClimbed: totalFlightsClimbed))
    let interval = try SampleInterval(start: start, end: end, of: HKObjectType.workoutType())
    try parts.check(within: interval)
    return HKWorkout(parts, interval, try ObjectOrigin(device: device, metadata: metadata))
  }
}

extension HKWorkout {
  private convenience init(as other: HKWorkout) {
    let parts = Parts(
      activityType: other.workoutActivityType, events: other.workoutEvents,
      activities: other.workoutActivities, duration: other.duration, totals: other.totals)
    self.init(parts, other.interval, other.origin)
  }

  public convenience init(activityType: HKWorkoutActivityType, start: Date, end: Date) {
    self.init(as: requiring(try HKWorkout.validated(activityType: activityType, start: start, end: end)))
  }

  public convenience init(
    activityType: HKWorkoutActivityType, start: Date, end: Date, workoutEvents: [HKWorkoutEvent]?,
    totalEnergyBurned: HKQuantity?, totalDistance: HKQuantity?, metadata: [String: Any]?
  ) {
    self.init(
      as: requiring(
        try HKWorkout.validated(
          activityType: activityType, start: start, end: end, workoutEvents: workoutEvents,
          totalEnergyBurned: totalEnergyBurned, totalDistance: totalDistance, metadata: metadata)))
  }

  public convenience init(
    activityType: HKWorkoutActivityType, start: Date, end: Date, workoutEvents: [HKWorkoutEvent]?,
    totalEnergyBurned: HKQuantity?, totalDistance: HKQuantity?, device: HKDevice?, metadata: [String: Any]?
  ) {
    self.init(
      as: requiring(
        try HKWorkout.validated(
          activityType: activityType, start: start, end: end, workoutEvents: workoutEvents,
          totalEnergyBurned: totalEnergyBurned, totalDistance: totalDistance, device: device,
          metadata: metadata)))
  }

  /// Creates a workout with a duration.
  /// - Parameter duration: In seconds; 0 for the duration from start to end.
  public convenience init(
    activityType: HKWorkoutActivityType, start: Date, end: Date, duration: TimeInterval,
    totalEnergyBurned: HKQuantity?, totalDistance: HKQuantity?, metadata: [String: Any]?
  ) {
    self.init(
      as: requiring(
        try HKWorkout.validated(
          activityType: activityType, start: start, end: end, duration: duration,
          totalEnergyBurned: totalEnergyBurned, totalDistance: totalDistance, metadata: metadata)))
  }

  /// Creates a workout with a duration and a device.
  /// - Parameter duration: In seconds; 0 for the duration from start to end.
  public convenience init(
    activityType: HKWorkoutActivityType, start: Date, end: Date, duration: TimeInterval,
    totalEnergyBurned: HKQuantity?, totalDistance: HKQuantity?, device: HKDevice?, metadata: [String: Any]?
  ) {
    self.init(
      as: requiring(
        try HKWorkout.validated(
          activityType: activityType, start: start, end: end, duration: duration,
          totalEnergyBurned: totalEnergyBurned, totalDistance: totalDistance, device: device,
          metadata: metadata)))
  }

  public convenience init(
    activityType: HKWorkoutActivityType, start: Date, end: Date, workoutEvents: [HKWorkoutEvent]?,
    totalEnergyBurned: HKQuantity?, totalDistance: HKQuantity?, totalSwimmingStrokeCount: HKQuantity?,
    device: HKDevice?, metadata: [String: Any]?
  ) {
    self.init(
      as: requiring(
        try HKWorkout.validated(
          activityType: activityType, start: start, end: end, workoutEvents: workoutEvents,
          totalEnergyBurned: totalEnergyBurned, totalDistance: totalDistance,
          totalSwimmingStrokeCount: totalSwimmingStrokeCount, device: device, metadata: metadata)))
  }

  public convenience init(
    activityType: HKWorkoutActivityType, start: Date, end: Date, workoutEvents: [HKWorkoutEvent]?,
    totalEnergyBurned: HKQuantity?, totalDistance: HKQuantity?, totalFlightsClimbed: HKQuantity?,
    device: HKDevice?, metadata: [String: Any]?
  ) {
    self.init(
      as: requiring(
        try HKWorkout.validated(
          activityType: activityType, start: start, end: end, workoutEvents: workoutEvents,
          totalEnergyBurned: totalEnergyBurned, totalDistance: totalDistance,
          totalFlightsClimbed: totalFlightsClimbed, device: device, metadata: metadata)))
  }
}
