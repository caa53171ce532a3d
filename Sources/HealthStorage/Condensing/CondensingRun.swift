import Foundation

/// Condenses a store for as long as a gateway runs on it, so slowly that nobody notices.
///
/// - After each step it rests ``rest`` times as long as the step took: it takes at most a fiftieth of a core,
///   and less where others want the cores.
/// - A step is one transaction of some milliseconds. Whatever waits to be written then comes before the next,
///   and a store that another program has locked is left alone until the next look.
package struct CondensingRun: Sendable {
  static let rest = 49

  private let database: SampleDatabase
  private let pause: Duration
  private let clock: any Clock<Duration>
  private let now: @Sendable () -> Int64
  private let tell: @Sendable (News) -> Void

  /// What there is to tell.
  package enum News: Sendable {
    case condensed(CondensingTally)
    /// It is tried again.
    case failed(any Error)
  }

  /// - Parameters:
  ///   - pause: before the first look at the store, and from the end of one to the next.
  ///   - clock: measures steps and rests.
  ///   - now: the time of day in microseconds since 1970: it says which hours are over.
  ///   - tell: called after a look that packed or left something, that failed, or that follows one that
  ///     failed; on no particular thread.
  package init(
    _ database: SampleDatabase, pause: Duration, clock: any Clock<Duration> = .continuous,
    now: @escaping @Sendable () -> Int64, tell: @escaping @Sendable (News) -> Void
  ) {
    self.database = database
    self.pause = pause
    self.clock = clock
    self.now = now
    self.tell = tell
  }

  /// Until the task is cancelled. A step that is under way then is undone.
  package func run() async {
    var condenser = Condenser(database)
    var hasFailed = false
    while true {
      do {
        try await clock.sleep(for: pause)
        let tally = try await look(&condenser)
        if tally != CondensingTally() || hasFailed { tell(.condensed(tally)) }
        hasFailed = false
      } catch  where Task.isCancelled || error is CancellationError {
        return
      } catch StorageError.sqlite("SQLITE_BUSY", _) {
        // Whoever has the store locked so long is told of elsewhere.
        continue
      } catch {
        hasFailed = true
        tell(.failed(error))
      }
    }
  }

  private func look(_ condenser: inout Condenser) async throws -> CondensingTally {
    var tally = CondensingTally()
    try await condenser.look()
    while true {
      let elapsed = clock.stopwatch()
      guard let step = try await condenser.step(at: now()) else { return tally }
      tally.add(step)
      try await clock.sleep(for: elapsed() * Self.rest)
    }
  }
}

extension Clock where Duration == Swift.Duration {
  /// Says how long ago this was.
  package func stopwatch() -> @Sendable () -> Duration {
    let begun = now
    return { begun.duration(to: now) }
  }
}
