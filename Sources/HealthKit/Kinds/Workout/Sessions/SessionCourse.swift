import Foundation
import Synchronization

/// The state of a workout session. Each change is validated first; if it throws, the state is unchanged.
struct SessionCourse: Sendable {
  private(set) var state = HKWorkoutSessionState.notStarted
  private(set) var start: Date?
  private(set) var end: Date?
  /// The pauses in chronological order. The last one may still be in progress.
  private(set) var pauses: [(from: Date, to: Date?)] = []
  /// The activity in progress, if one was begun.
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
    try require(state != .ended, "end")
    state = .ended
    if start != nil, end == nil { end = max(date, start ?? date) }
  }

  /// Begins an activity. If one is in progress, it ends at the same time.
  /// - Returns: The activity that ended, or nil.
  mutating func begin(_ activity: HKWorkoutActivity) throws(HKError) -> HKWorkoutActivity? {
    try require(state == .running || state == .paused, "begin an activity")
    guard let start, activity.startDate >= start, Microseconds.of(activity.startDate) != nil else {
      throw Self.refusal("an activity must not begin before the session")
    }
    let ended = try endActivity(at: activity.startDate)
    self.activity = activity
    return ended
  }

  /// Ends the activity in progress, if there is one.
  /// - Returns: The activity that ended, or nil.
  mutating func endActivity(at date: Date) throws(HKError) -> HKWorkoutActivity? {
    guard let activity else { return nil }
    guard date >= activity.startDate, Microseconds.of(date) != nil else {
      throw Self.refusal("an activity must not end before it begins")
    }
    self.activity = nil
    return activity
  }

  /// Returns whether the session was running at a date: started, not ended and not paused.
  func isRunning(at date: Date) -> Bool {
    guard let start, date >= start, date <= end ?? .distantFuture else { return false }
    return !pauses.contains { date >= $0.from && date < $0.to ?? .distantFuture }
  }

  private mutating func endPause(at date: Date) {
    guard let last = pauses.indices.last else { return }
    pauses[last].to = max(date, pauses[last].from)
  }

  private func require(_ isSo: Bool, _ what: String) throws(HKError) {
    guard isSo else { throw Self.refusal("a session in state \(state.rawValue) cannot \(what)") }
  }

  private static func refusal(_ reason: String) -> HKError { HKError(.errorInvalidArgument, reason: reason) }
}

/// Holds the running workout session of a store. There is at most one.
final class RunningSession: Sendable {
  private let running = Mutex<HKWorkoutSession?>(nil)
  private let handler = Mutex<(@Sendable (HKWorkoutSession) -> Void)?>(nil)

  var current: HKWorkoutSession? { running.withLock { $0 } }

  /// The handler for mirrored sessions that the program set. It is never called.
  var mirroring: (@Sendable (HKWorkoutSession) -> Void)? {
    get { handler.withLock { $0 } }
    set { handler.withLock { $0 = newValue } }
  }

  /// Sets the running session.
  /// - Returns: The session that was running before. The caller must end it.
  func start(_ session: HKWorkoutSession) -> HKWorkoutSession? {
    running.withLock { running in
      defer { running = session }
      return running === session ? nil : running
    }
  }

  func end(_ session: HKWorkoutSession) {
    running.withLock { if $0 === session { $0 = nil } }
  }
}
