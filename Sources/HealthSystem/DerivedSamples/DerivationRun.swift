import HealthStorage

/// Derives figures while a gateway runs: first for changes since the last run, then after each commit by any
/// program.
package struct DerivationRun: Sendable {
  /// An event to report.
  package enum News: Sendable {
    case derived(DerivationTally)
    /// Deriving failed. It is retried.
    case failed(any Error)
  }

  private let derivation: Derivation
  private let pause: Duration
  private let clock: any Clock<Duration>
  private let tell: @Sendable (News) -> Void

  /// Creates a run.
  /// - Parameters:
  ///   - pause: Minimum time between two passes. A strap sends each second, and each pass updates the resting
  ///     heart rate of the day.
  ///   - tell: Receives the events on an arbitrary thread. Called only if something changed or the previous
  ///     pass failed.
  package init(
    _ derivation: Derivation, pause: Duration, clock: any Clock<Duration> = .continuous,
    tell: @escaping @Sendable (News) -> Void
  ) {
    self.derivation = derivation
    self.pause = pause
    self.clock = clock
    self.tell = tell
  }

  /// Derives figures until the task is canceled.
  package func run() async {
    // Subscribe before the first pass, so that no commit is missed.
    var commits = derivation.commits().makeAsyncIterator()
    var isDone = true
    while !Task.isCancelled {
      isDone = await look(afterFailure: !isDone) { true }
      do { try await clock.sleep(for: pause) } catch { return }
      // Retry after a failure even if there is no commit.
      if isDone, await commits.next() == nil { return }
    }
  }

  /// Makes one last pass after everything is committed.
  /// - Parameter timeout: Time after which no further step is started. The next run does the rest.
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
      if tally.changes > 0 || afterFailure { tell(.derived(tally)) }
      return true
    } catch is CancellationError {
      return true
    } catch {
      tell(.failed(error))
      return false
    }
  }
}

extension Derivation {
  func commits() -> AsyncStream<Void> { database.commits(.low) }
}

extension DerivationTally {
  /// The number of figures that changed.
  package var changes: Int { written + replaced + withdrawn }
}

extension Clock where Duration == Swift.Duration {
  /// Returns a closure that returns whether the duration has passed since this call.
  fileprivate func deadline(after timeout: Duration) -> @Sendable () -> Bool {
    let end = now.advanced(by: timeout)
    return { now >= end }
  }
}

/// The number of figures by outcome.
package struct DerivationTally: Hashable, Sendable {
  /// Stored without a previous figure.
  package var written = 0
  /// Stored in place of another figure.
  package var replaced = 0
  /// Deleted, because the source samples are gone or no longer sufficient.
  package var withdrawn = 0
  /// Already up to date.
  package var unchanged = 0

  package init() {}

  static func += (tally: inout Self, other: Self) {
    tally.written += other.written
    tally.replaced += other.replaced
    tally.withdrawn += other.withdrawn
    tally.unchanged += other.unchanged
  }
}
