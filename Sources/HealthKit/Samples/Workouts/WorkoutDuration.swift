import Foundation

/// How long a workout was, without its pauses.
enum WorkoutDuration {
  /// - Parameter events: in order of time. A pause that is not ended lasts to the end.
  static func active(from start: Date, to end: Date, events: [HKWorkoutEvent]) -> TimeInterval {
    var paused: TimeInterval = 0
    var pausedSince: Date?
    for event in events {
      switch event.type {
      case .pause, .motionPaused:
        pausedSince = pausedSince ?? event.dateInterval.start
      case .resume, .motionResumed:
        if let since = pausedSince { paused += event.dateInterval.start.timeIntervalSince(since) }
        pausedSince = nil
      case .lap, .marker, .segment, .pauseOrResumeRequest:
        break
      }
    }
    if let since = pausedSince { paused += max(0, end.timeIntervalSince(since)) }
    return max(0, end.timeIntervalSince(start) - paused)
  }
}
