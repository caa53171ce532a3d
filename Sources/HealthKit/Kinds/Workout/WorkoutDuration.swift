import Foundation

/// How long a workout was, without its pauses.
enum WorkoutDuration {
  /// - Parameter events: in order of time. A pause that is not ended lasts to the end.
  static func active(from start: Date, to end: Date, events: [HKWorkoutEvent]) -> TimeInterval {
    var paused: TimeInterval = 0
    // A workout rests while the user paused it or stands still; one does not end the other.
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
