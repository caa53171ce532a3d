import Foundation

/// How a session goes: a value that checks each step, and changes nothing if it throws.
struct SessionCourse: Sendable {
  private(set) var state = HKWorkoutSessionState.notStarted
  private(set) var start: Date?
  private(set) var end: Date?
  /// Pauses in order; the last one may go on.
  private(set) var pauses: [(from: Date, to: Date?)] = []
  /// The part that goes on, if one was begun beside the session as a whole.
  private(set) var activity: HKWorkoutActivity?

  mutating func prepare() throws(HKError) {
    try require(state == .notStarted, "to prepare")
    state = .prepared
  }

  mutating func start(at date: Date) throws(HKError) {
    try require(state == .notStarted || state == .prepared, "to start")
    (state, start) = (.running, date)
  }

  mutating func pause(at date: Date) throws(HKError) {
    try require(state == .running, "to pause")
    state = .paused
    pauses.append((max(date, pauses.last?.to ?? date), nil))
  }

  mutating func resume(at date: Date) throws(HKError) {
    try require(state == .paused, "to resume")
    state = .running
    endPause(at: date)
  }

  mutating func stop(at date: Date) throws(HKError) {
    try require(state == .running || state == .paused, "to stop")
    state = .stopped
    end = max(date, start ?? date)
  }

  mutating func finish(at date: Date) throws(HKError) {
    try require(state != .ended, "to end")
    state = .ended
    if start != nil, end == nil { end = max(date, start ?? date) }
  }

  /// Begins an activity, and ends the one that goes on when the other begins.
  /// - Returns: the activity that ended; nil if none went on.
  mutating func begin(_ activity: HKWorkoutActivity) throws(HKError) -> HKWorkoutActivity? {
    try require(state == .running || state == .paused, "to begin an activity")
    guard let start, activity.startDate >= start, Microseconds.of(activity.startDate) != nil else {
      throw Self.refusal("an activity must not begin before the session")
    }
    let ended = try endActivity(at: activity.startDate)
    self.activity = activity
    return ended
  }

  /// - Returns: the activity that ended; nil if none went on.
  mutating func endActivity(at date: Date) throws(HKError) -> HKWorkoutActivity? {
    guard let activity else { return nil }
    guard date >= activity.startDate, Microseconds.of(date) != nil else {
      throw Self.refusal("an activity must not end before it begins")
    }
    self.activity = nil
    return activity
  }

  /// Whether the session ran at a date, neither before its start nor after its end nor paused.
  func isRunning(at date: Date) -> Bool {
    guard let start, date >= start, date <= end ?? .distantFuture else { return false }
    return !pauses.contains { date >= $0.from && date < $0.to ?? .distantFuture }
  }

  private mutating func endPause(at date: Date) {
    guard let last = pauses.indices.last else { return }
    pauses[last].to = max(date, pauses[last].from)
  }

  private func require(_ isSo: Bool, _ what: String) throws(HKError) {
    guard isSo else { throw Self.refusal("a session in state \(state.rawValue) was asked \(what)") }
  }

  private static func refusal(_ reason: String) -> HKError { HKError(.errorInvalidArgument, reason: reason) }
}
