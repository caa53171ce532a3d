import Foundation

/// Compacts a store slowly in the background while a gateway runs on it.
///
/// - After each step, it pauses for ``rest`` times the duration of the step, so it uses at most a fiftieth of
///   a core.
/// - A step is one transaction of a few milliseconds, so the gateway's writes get their turn between steps.
///   If another program has locked the store, the pass ends, and the next one continues.
package struct CompactionRun: Sendable {
  static let rest = 49

  private let database: SampleDatabase
  private let pause: Duration
  private let clock: any Clock<Duration>
  private let now: @Sendable () -> Int64
  private let report: @Sendable (Report) -> Void

  /// A report of the compaction.
  package enum Report: Sendable {
    case condensed(CompactionTally)
    /// An error ended the pass. The next pass will try again.
    case failed(any Error)
  }

  /// - Parameters:
  ///   - pause: The delay before each pass.
  ///   - clock: The clock for the duration of steps and for pauses.
  ///   - now: Returns the wall-clock time in microseconds since 1970, which determines which hours have
  ///     ended.
  ///   - report: Called on any thread after a pass that compacted something, found something that could not
  ///     be compacted, failed, or followed a failed pass.
  package init(
    _ database: SampleDatabase, pause: Duration, clock: any Clock<Duration> = .continuous,
    now: @escaping @Sendable () -> Int64, report: @escaping @Sendable (Report) -> Void
  ) {
    self.database = database
    self.pause = pause
    self.clock = clock
    self.now = now
    self.report = report
  }

  /// Runs until the task is canceled, which rolls back the current step.
  package func run() async {
    var compactor = Compactor(database)
    var hasFailed = false
    while true {
      do {
        try await clock.sleep(for: pause)
        let tally = try await look(&compactor)
        if tally != CompactionTally() || hasFailed { report(.condensed(tally)) }
        hasFailed = false
      } catch  where Task.isCancelled || error is CancellationError {
        return
      } catch StorageError.sqlite("SQLITE_BUSY", _) {
        // Do not report a locked store: the gateway's commits report it.
        continue
      } catch {
        hasFailed = true
        report(.failed(error))
      }
    }
  }

  private func look(_ compactor: inout Compactor) async throws -> CompactionTally {
    var tally = CompactionTally()
    try await compactor.look()
    while true {
      let elapsed = clock.stopwatch()
      guard let step = try await compactor.step(at: now()) else { return tally }
      tally.add(step)
      try await clock.sleep(for: elapsed() * Self.rest)
    }
  }
}

extension Clock where Duration == Swift.Duration {
  /// Returns a function that returns the time elapsed since this call.
  package func stopwatch() -> @Sendable () -> Duration {
    let begun = now
    return { begun.duration(to: now) }
  }
}
