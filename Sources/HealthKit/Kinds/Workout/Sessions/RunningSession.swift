import Synchronization

/// The one session that runs on a store.
final class RunningSession: Sendable {
  private let running = Mutex<HKWorkoutSession?>(nil)
  private let handler = Mutex<(@Sendable (HKWorkoutSession) -> Void)?>(nil)

  var current: HKWorkoutSession? { running.withLock { $0 } }

  /// What a program wants to be told of a mirrored session.
  var mirroring: (@Sendable (HKWorkoutSession) -> Void)? {
    get { handler.withLock { $0 } }
    set { handler.withLock { $0 = newValue } }
  }

  /// - Returns: the session that has to give way.
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
