package import Foundation

extension HKWorkout {
  /// The properties of a workout that was recorded by another program, for creating it with the same UUIDs.
  package struct Whole {
    /// An activity of the workout. It has the activity type of the workout.
    package struct Activity {
      package var uuid: UUID
      package var start: Date
      package var end: Date?
      package var metadata: ObjectMetadata?

      package init(uuid: UUID, start: Date, end: Date?, metadata: ObjectMetadata?) {
        self.uuid = uuid
        self.start = start
        self.end = end
        self.metadata = metadata
      }
    }

    package var uuid: UUID
    package var activityType: HKWorkoutActivityType
    package var start: Date
    package var end: Date
    /// The events, in any order.
    package var events: [HKWorkoutEvent] = []
    /// The activities; empty if the workout is not divided.
    package var activities: [Activity] = []
    /// The duration in seconds; nil to compute it from the dates and events.
    package var duration: TimeInterval?
    package var energyBurned: HKQuantity?
    package var distance: HKQuantity?
    package var swimmingStrokeCount: HKQuantity?
    package var flightsClimbed: HKQuantity?
    package var device: HKDevice?
    package var metadata: ObjectMetadata?

    package init(uuid: UUID, activityType: HKWorkoutActivityType, start: Date, end: Date) {
      self.uuid = uuid
      self.activityType = activityType
      self.start = start
      self.end = end
    }
  }

  /// Returns the workout.
  /// - Throws: `HKValidationError` if a value is invalid.
  package static func make(_ whole: Whole) throws(HKValidationError) -> HKWorkout {
    let events = whole.events.sorted { $0.dateInterval.start < $1.dateInterval.start }
    var activities: [HKWorkoutActivity] = []
    for activity in whole.activities {
      try HKWorkoutActivity.check(activity.start, activity.end)
      let span = activity.start...max(activity.start, activity.end ?? whole.end)
      activities.append(
        HKWorkoutActivity(
          uuid: activity.uuid, .init(activityType: whole.activityType), start: activity.start,
          end: activity.end, metadata: activity.metadata,
          events: events.filter { span.contains($0.dateInterval.start) }))
    }
    let parts = Parts(
      activityType: whole.activityType, events: events.isEmpty ? nil : events, activities: activities,
      duration: whole.duration,
      totals: WorkoutTotals(
        energyBurned: whole.energyBurned, distance: whole.distance,
        swimmingStrokeCount: whole.swimmingStrokeCount, flightsClimbed: whole.flightsClimbed))
    let interval = try SampleInterval(start: whole.start, end: whole.end, of: HKObjectType.workoutType())
    try parts.check(within: interval)
    return HKWorkout(
      parts, interval, ObjectOrigin(uuid: whole.uuid, device: whole.device, metadata: whole.metadata))
  }

  /// The activities specified when the workout was created. Empty if none were specified. `workoutActivities`
  /// then contains one generated activity that spans the workout.
  package var statedActivities: [HKWorkoutActivity] {
    let whole = Parts(activityType: workoutActivityType).activities(of: uuid, interval)
    return workoutActivities.map(\.uuid) == whole.map(\.uuid) ? [] : workoutActivities
  }
}
