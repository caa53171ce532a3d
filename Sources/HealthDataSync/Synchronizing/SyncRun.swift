import Foundation
import HealthKit
import HealthStorage

/// One run of a synchroniser: opens the external store, carries what there is, waits for more, and begins
/// again after a failure.
struct SyncRun {
  let context: RunContext
  var generator: any RandomNumberGenerator & Sendable

  /// - Throws: `ExternalStoreError`, unless it follows; `SyncDestinationError.unknown` if the destination is
  ///   removed; `CancellationError`.
  mutating func perform() async throws {
    // Before the first look, so that nothing is missed between the two.
    let commits = context.ledger.commits()
    let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    try await withThrowingDiscardingTaskGroup { group in
      defer { group.cancelAll() }
      group.addTask {
        for await _ in commits { wake.yield() }
        wake.finish()
      }
      let clock = context.clock
      var alarm = Alarm(clock)
      try await perform(wakes) { pause in
        guard alarm.isEarlier(pause) else { return }
        group.addTask {
          do { try await clock.sleep(for: pause) } catch { return }
          wake.yield()
        }
      }
    }
  }

  /// - Parameters:
  ///   - wakes: ticks when there may be something to do.
  ///   - wakeAfter: has it tick once after so long.
  private mutating func perform(
    _ wakes: AsyncStream<Void>, _ wakeAfter: (Duration) -> Void
  ) async throws {
    let (carrier, policy, clock, board) = (context.carrier, context.policy, context.clock, context.board)
    var ticks = wakes.makeAsyncIterator()
    var schedule = RetrySchedule(policy)
    var round = SyncRound(context)
    while true {
      do {
        try await carrier.open()
        while true {
          let elapsed = clock.stopwatch()
          let pause = try await round.perform { schedule.succeeded() }
          schedule.succeeded()
          guard context.follows else { return }
          board.update { $0.state = .idle }
          if let pause { wakeAfter(pause) }
          guard await ticks.next() != nil else { throw CancellationError() }
          let rest = policy.liveInterval - elapsed()
          if rest > .zero { try await clock.sleep(for: rest) }
        }
      } catch is CancellationError {
        throw CancellationError()
      } catch let error as SyncDestinationError {
        throw error
      } catch {
        let failure = ExternalStoreError(explaining: error)
        await carrier.close()
        let isNoted = await note(failure)
        round.failed()
        let pause = schedule.pause(after: failure.outlook, using: &generator)
        let mayPass = failure.outlook != .lasting && schedule.failures < policy.attemptsOfOneRun
        guard context.follows || mayPass else { throw failure }
        board.update { $0.state = .waiting(failure, pause: pause) }
        try await wait(pause, isNoted: isNoted)
        try await requireDestination()
        board.update { $0.state = .opening }
      }
    }
  }

  /// An external store that cannot be opened keeps the run from what else would tell it.
  /// - Throws: `SyncDestinationError.unknown` if it was removed. Where the health store does not say, it is
  ///   there.
  private func requireDestination() async throws {
    let (ledger, destination) = (context.ledger, context.destination)
    let known: SyncDestinationRecord?
    do {
      known = try await ledger.destination(named: destination.name)
    } catch {
      return try Task.checkCancellation()
    }
    guard known?.id == destination.id else { throw SyncDestinationError.unknown(destination.name) }
  }

  /// For the user who asks.
  /// - Returns: false if it cannot be written, be it because the health store is what fails.
  private func note(_ failure: ExternalStoreError) async -> Bool {
    do {
      try await context.ledger.noteFailure(
        failure.description, lasts: failure.outlook == .lasting, of: context.destination.id,
        at: Microseconds.clamped(Date()))
      return true
    } catch {
      return false
    }
  }

  /// Waits until the pause is over, or until something has changed: the user has reset something, which
  /// clears the failure, or a secret is another.
  private func wait(_ pause: Duration, isNoted: Bool) async throws {
    let (clock, ledger, destination) = (context.clock, context.ledger, context.destination)
    let carrier = context.carrier
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await clock.sleep(for: pause) }
      group.addTask {
        await carrier.untilWorthRetrying()
        try Task.checkCancellation()
      }
      if isNoted {
        group.addTask {
          for await _ in ledger.commits() {
            let now: SyncDestinationRecord?
            do {
              now = try await ledger.destination(named: destination.name)
            } catch {
              // A health store that fails is no reason to try earlier.
              continue
            }
            guard let now, now.id == destination.id, now.failure != nil else { return }
          }
          // Cancelled.
          try Task.checkCancellation()
        }
      }
      try await group.next()
      group.cancelAll()
    }
  }
}

/// When a run is woken next: one that is woken earlier than that needs no other.
private struct Alarm {
  private let elapsed: @Sendable () -> Duration
  private var next: Duration?

  init(_ clock: any Clock<Duration>) { elapsed = clock.stopwatch() }

  /// Whether there is no alarm within a pause; from now on there is.
  mutating func isEarlier(_ pause: Duration) -> Bool {
    let (now, time) = (elapsed(), elapsed() + pause)
    if let next, next > now, next <= time { return false }
    next = time
    return true
  }
}

extension Clock where Duration == Swift.Duration {
  /// Tells how much time has gone by since it was made.
  func stopwatch() -> @Sendable () -> Duration {
    let start = now
    return { start.duration(to: self.now) }
  }
}

extension ExternalStoreError {
  /// What went wrong, in a sentence.
  package init(explaining error: any Error) {
    switch error {
    case let error as ExternalStoreError:
      self = error
    case let error as HKError where error.code == .errorAuthorizationDenied:
      self.init(
        "the health store may not be read (\(error.reason)): have its owner allow it", outlook: .lasting)
    case let error as HKError:
      self.init(unusable: error.reason)
    case let failure as StorageFailure:
      self.init(unusable: "\(failure)")
    case is CancellationError:
      self.init(
        "the external store ended its own work and does not say why: it is tried again", outlook: .passing)
    default:
      // Its description may hold anything: addresses, secrets, values.
      self.init(
        "the external store failed and does not say why (\(Swift.type(of: error))): it is tried again",
        outlook: .passing)
    }
  }

  private init(unusable reason: String) {
    self.init(
      "the health store cannot be used (\(reason)): see to its file and its disk; it is tried again",
      outlook: .passing)
  }
}
