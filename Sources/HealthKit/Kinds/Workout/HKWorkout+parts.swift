import Foundation

extension HKWorkout {
  /// What a workout has beside its time and origin.
  struct Parts: Sendable {
    var activityType: HKWorkoutActivityType
    var events: [HKWorkoutEvent]?
    var activities: [HKWorkoutActivity] = []
    /// nil for what the dates and the events give.
    var duration: TimeInterval?
    var totals = WorkoutTotals()

    func check(within interval: SampleInterval) throws(HKValidationError) {
      try totals.check()
      if let duration {
        guard duration >= 0, duration.isFinite else {
          throw HKValidationError("the duration of a workout must be finite and not negative")
        }
      }
      if let first = events?.first, first.type == .resume {
        throw HKValidationError("the first event of a workout must not be a resume")
      }
      for event in events ?? [] {
        let time = event.dateInterval
        guard time.start >= interval.start, time.end <= interval.end else {
          throw HKValidationError("an event of a workout must lie within the workout")
        }
      }
      for activity in activities {
        guard activity.startDate >= interval.start, (activity.endDate ?? interval.end) <= interval.end else {
          throw HKValidationError("an activity of a workout must lie within the workout")
        }
      }
    }
  }
}
