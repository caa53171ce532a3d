import HealthStorage

/// Keeps derived samples up to date while a gateway runs: first for changes since the last run, then after
/// each commit by any program.
package struct DerivationRun: Sendable {
  /// An event passed to `report`.
  package enum Report: Sendable {
    case derived(DerivationTally)
    /// A pass failed. It is retried.
    case failed(any Error)
  }

  private let derivation: Derivation
  private let pause: Duration
  private let clock: any Clock<Duration>
  private let report: @Sendable (Report) -> Void

  /// Creates a run.
  /// - Parameters:
  ///   - pause: Minimum time between two passes. A strap measures every second, and each measurement would
  ///     otherwise start a pass.
  ///   - report: Receives the events on any thread. Called only if derived samples changed or a pass failed.
  package init(
    _ derivation: Derivation, pause: Duration, clock: any Clock<Duration> = .continuous,
    report: @escaping @Sendable (Report) -> Void
  ) {
    self.derivation = derivation
    self.pause = pause
    self.clock = clock
    self.report = report
  }

  /// Derives samples until the task is canceled.
  package func run() async {
    // Subscribe before the first pass, so that it misses no commit.
    var commits = derivation.commits().makeAsyncIterator()
    var isDone = true
    while !Task.isCancelled {
      isDone = await look(afterFailure: !isDone) { true }
      do { try await clock.sleep(for: pause) } catch { return }
      // After a failed pass, retry without waiting for a commit.
      if isDone, await commits.next() == nil { return }
    }
  }

  /// Makes a last pass. Call it after the gateway's last commit.
  /// - Parameter timeout: Time after which no further step is started. The next run derives the remaining
  ///   samples.
  package func finish(within timeout: Duration) async {
    let isOver = clock.deadline(after: timeout)
    _ = await look { !isOver() }
  }

  /// Makes one pass.
  /// - Parameter afterFailure: Whether the previous pass failed. If so, the result is reported even without
  ///   changes.
  /// - Returns: Whether the pass succeeded.
  private func look(afterFailure: Bool = false, while goesOn: () -> Bool) async -> Bool {
    do {
      let tally = try await derivation.catchUp(while: goesOn)
      if tally.changes > 0 || afterFailure { report(.derived(tally)) }
      return true
    } catch is CancellationError {
      return true
    } catch {
      report(.failed(error))
      return false
    }
  }
}

extension Derivation {
  func commits() -> AsyncStream<Void> { database.commits(.low) }
}

extension DerivationTally {
  /// The number of derived samples that were added, replaced or deleted.
  package var changes: Int { written + replaced + withdrawn }
}

extension Clock where Duration == Swift.Duration {
  /// Returns a closure that reports whether the duration has elapsed since this call.
  fileprivate func deadline(after timeout: Duration) -> @Sendable () -> Bool {
    let end = now.advanced(by: timeout)
    return { now >= end }
  }
}

/// The result of a pass: how many derived samples were saved, deleted or unchanged.
package struct DerivationTally: Hashable, Sendable {
  /// The number of saved samples for windows or days that had no derived sample before.
  package var written = 0
  /// The number of samples that replaced an earlier one for the same window or day.
  package var replaced = 0
  /// The number of deleted samples, because their source samples are gone or too few.
  package var withdrawn = 0
  /// The number of stored samples that were already up to date.
  package var unchanged = 0

  package init() {}

  static func += (tally: inout Self, other: Self) {
    tally.written += other.written
    tally.replaced += other.replaced
    tally.withdrawn += other.withdrawn
    tally.unchanged += other.unchanged
  }
}
