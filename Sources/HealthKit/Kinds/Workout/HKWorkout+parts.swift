import Foundation

extension HKWorkout {
  /// What a workout has beside its time and origin.
  struct Parts: Sendable {
    var activityType: HKWorkoutActivityType
    /// What a builder was told beside the activity's type.
    var configuration: HKWorkoutConfiguration.Values?
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

extension HKWorkout.Parts {
  /// Every workout has an activity: without others there is one that is all of it, with the same UUID each
  /// time that the workout is read.
  func activities(of workout: UUID, _ interval: SampleInterval) -> [HKWorkoutActivity] {
    guard activities.isEmpty else { return activities }
    return [
      HKWorkoutActivity(
        uuid: workout.ofWholeActivity, configuration ?? .init(activityType: activityType),
        start: interval.start, end: interval.end, metadata: nil, events: events ?? [])
    ]
  }
}

extension UUID {
  /// That of a workout with its last octet inverted, of version 8 (RFC 9562 §5.8): one's own.
  fileprivate var ofWholeActivity: UUID {
    var octets = uuid
    octets.6 = octets.6 & 0x0F | 0x80
    octets.15 = ~octets.15
    return UUID(uuid: octets)
  }
}
