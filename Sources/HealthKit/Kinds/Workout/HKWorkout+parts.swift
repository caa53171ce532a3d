import Foundation

extension HKWorkout {
  /// The properties of a workout, except for its start, its end and the properties of `HKObject`.
  struct Parts: Sendable {
    var activityType: HKWorkoutActivityType
    /// The full configuration, if a builder created the workout.
    var configuration: HKWorkoutConfiguration.Values?
    var events: [HKWorkoutEvent]?
    var activities: [HKWorkoutActivity] = []
    /// The duration in seconds; nil if it is computed from dates and events.
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
  /// Returns the activities. If there are none, returns one that spans the workout, because every workout
  /// must have an activity. Its UUID is derived from the workout's, so that it is the same on every read.
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
  /// A UUID derived from this one: the last byte is inverted, and the version is 8 (custom; RFC 9562 §5.8).
  fileprivate var ofWholeActivity: UUID {
    var bytes = uuid
    bytes.6 = bytes.6 & 0x0F | 0x80
    bytes.15 = ~bytes.15
    return UUID(uuid: bytes)
  }
}

/// The totals of a workout as stated by the program that created it.
struct WorkoutTotals: Sendable {
  var energyBurned: HKQuantity?
  var distance: HKQuantity?
  var swimmingStrokeCount: HKQuantity?
  var flightsClimbed: HKQuantity?

  func check() throws(HKValidationError) {
    try check(energyBurned, "total energy burned", .kilocalorie())
    try check(distance, "total distance", .meter())
    try check(swimmingStrokeCount, "total swimming stroke count", .count())
    try check(flightsClimbed, "total flights climbed", .count())
  }

  private func check(_ quantity: HKQuantity?, _ name: String, _ unit: HKUnit) throws(HKValidationError) {
    guard let quantity, !quantity.is(compatibleWith: unit) else { return }
    throw HKValidationError(
      "the \(name) of a workout requires a unit compatible with \(unit); \(quantity.unit) is not")
  }
}

/// Computes the duration of a workout without its pauses.
enum WorkoutDuration {
  /// Returns the duration in seconds without pauses.
  /// - Parameter events: Events in chronological order. A pause without a resume lasts until the end.
  static func active(from start: Date, to end: Date, events: [HKWorkoutEvent]) -> TimeInterval {
    var paused: TimeInterval = 0
    // Pauses by the user and motion pauses are independent: each kind is only ended by its own kind of
    // resume.
    var isPausedByUser = false
    var isStandingStill = false
    var restingSince: Date?
    for event in events {
      switch event.type {
      case .pause: isPausedByUser = true
      case .resume: isPausedByUser = false
      case .motionPaused: isStandingStill = true
      case .motionResumed: isStandingStill = false
      case .lap, .marker, .segment, .pauseOrResumeRequest: continue
      }
      let moment = event.dateInterval.start
      if isPausedByUser || isStandingStill {
        restingSince = restingSince ?? moment
      } else if let since = restingSince {
        paused += moment.timeIntervalSince(since)
        restingSince = nil
      }
    }
    if let since = restingSince { paused += max(0, end.timeIntervalSince(since)) }
    return max(0, end.timeIntervalSince(start) - paused)
  }
}
