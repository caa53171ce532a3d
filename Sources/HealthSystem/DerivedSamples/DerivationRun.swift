import HealthStorage

/// Derives whatever is committed from now on, by whichever program, and first what was missed: for as long as
/// a gateway runs.
package struct DerivationRun: Sendable {
  /// What there is to tell.
  package enum News: Sendable {
    case derived(DerivationTally)
    /// It is tried again.
    case failed(any Error)
  }

  private let derivation: Derivation
  private let pause: Duration
  private let clock: any Clock<Duration>
  private let tell: @Sendable (News) -> Void

  /// - Parameters:
  ///   - pause: From the end of one look to the next at least. A strap is heard each second, and the day's
  ///     resting heart rate is of the whole day.
  ///   - tell: Called on no particular thread; not where nothing changed, unless the look before had failed.
  package init(
    _ derivation: Derivation, pause: Duration, clock: any Clock<Duration> = .continuous,
    tell: @escaping @Sendable (News) -> Void
  ) {
    self.derivation = derivation
    self.pause = pause
    self.clock = clock
    self.tell = tell
  }

  /// Until the task is cancelled.
  package func run() async {
    // Before the first look, so that nothing is missed between the two.
    var commits = derivation.commits().makeAsyncIterator()
    var isDone = true
    while !Task.isCancelled {
      isDone = await look(afterFailure: !isDone) { true }
      do { try await clock.sleep(for: pause) } catch { return }
      // What failed is tried again, whether or not anything is committed.
      if isDone, await commits.next() == nil { return }
    }
  }

  /// One last look, once everything is committed.
  ///
  /// - Parameter patience: After so long no further step is taken; the next run does the rest.
  package func finish(within patience: Duration) async {
    let isOver = clock.deadline(after: patience)
    _ = await look { !isOver() }
  }

  /// - Parameter afterFailure: It is told that it is well again, even where nothing changed.
  /// - Returns: false if it failed.
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
  func commits() -> AsyncStream<Void> { database.commits(.leisurely) }
}

extension DerivationTally {
  /// How many figures are others now.
  package var changes: Int { written + replaced + withdrawn }
}

extension Clock where Duration == Swift.Duration {
  /// Says whether so long has passed since now.
  fileprivate func deadline(after patience: Duration) -> @Sendable () -> Bool {
    let end = now.advanced(by: patience)
    return { now >= end }
  }
}
