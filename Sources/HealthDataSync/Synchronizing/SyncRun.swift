import Foundation
import HealthKit
import HealthStorage

/// One run of a synchronizer: opens the external store, sends all changes, waits for more, and starts over
/// after an error.
struct SyncRun {
  let context: RunContext
  var generator: any RandomNumberGenerator & Sendable

  /// Runs until everything is sent or, if `context.follows` is true, until the task is canceled.
  ///
  /// - Throws: `ExternalStoreError` if `context.follows` is false; `SyncDestinationError.unknown` if the
  ///   destination is removed; `CancellationError`.
  mutating func perform() async throws {
    // Subscribe before the first round, so that no commit is missed.
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

  /// Sends changes whenever there are any.
  ///
  /// - Parameters:
  ///   - wakes: Emits a value when there may be something to send.
  ///   - wakeAfter: Makes `wakes` emit a value after a delay.
  private mutating func perform(
    _ wakes: AsyncStream<Void>, _ wakeAfter: (Duration) -> Void
  ) async throws {
    let (uploader, policy, clock, progressStore) = (
      context.uploader, context.policy, context.clock, context.progressStore
    )
    var ticks = wakes.makeAsyncIterator()
    var schedule = RetrySchedule(policy)
    var round = SyncRound(context)
    while true {
      do {
        try await uploader.open()
        while true {
          let elapsed = clock.stopwatch()
          let pause = try await round.perform { schedule.succeeded() }
          schedule.succeeded()
          guard context.follows else { return }
          progressStore.update { $0.state = .idle }
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
        // It is unknown how many of the changes the destination stored, so send them again over a new
        // connection.
        await uploader.close()
        let isNoted = await note(failure)
        round.failed()
        let pause = schedule.pause(after: failure.outlook, using: &generator)
        let mayPass = failure.outlook != .lasting && schedule.failures < policy.attemptsOfOneRun
        guard context.follows || mayPass else { throw failure }
        progressStore.update { $0.state = .waiting(failure, pause: pause) }
        try await wait(pause, isNoted: isNoted)
        try await requireDestination()
        progressStore.update { $0.state = .opening }
      }
    }
  }

  /// Checks that the user has not removed the destination. Nothing else detects that while the external store
  /// cannot be opened.
  ///
  /// - Throws: `SyncDestinationError.unknown` if it was removed. If the health store cannot be read, the
  ///   destination is assumed to exist.
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

  /// Records an error for `hrgate sync status`.
  ///
  /// - Returns: `false` if it cannot be written, for example because the health store itself fails.
  private func note(_ failure: ExternalStoreError) async -> Bool {
    do {
      try await context.ledger.recordFailure(
        failure.description, lasts: failure.outlook == .lasting, of: context.destination.id,
        at: Microseconds.clamped(Date()))
      return true
    } catch {
      return false
    }
  }

  /// Waits for the delay, or less if a retry becomes worthwhile: because the user reset the destination,
  /// which clears the recorded error, or because a secret changed.
  private func wait(_ pause: Duration, isNoted: Bool) async throws {
    let (clock, ledger, destination) = (context.clock, context.ledger, context.destination)
    let uploader = context.uploader
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await clock.sleep(for: pause) }
      group.addTask {
        await uploader.untilWorthRetrying()
        try Task.checkCancellation()
      }
      if isNoted {
        group.addTask {
          for await _ in ledger.commits() {
            let now: SyncDestinationRecord?
            do {
              now = try await ledger.destination(named: destination.name)
            } catch {
              // If the health store cannot be read, keep waiting.
              continue
            }
            guard let now, now.id == destination.id, now.failure != nil else { return }
          }
          // The task was canceled.
          try Task.checkCancellation()
        }
      }
      try await group.next()
      group.cancelAll()
    }
  }
}

/// Remembers the time of the next scheduled wake-up.
private struct Alarm {
  private let elapsed: @Sendable () -> Duration
  private var next: Duration?

  init(_ clock: any Clock<Duration>) { elapsed = clock.stopwatch() }

  /// Returns whether a wake-up must be scheduled: `false` if one is already scheduled for an earlier time.
  mutating func isEarlier(_ pause: Duration) -> Bool {
    let (now, time) = (elapsed(), elapsed() + pause)
    if let next, next > now, next <= time { return false }
    next = time
    return true
  }
}

extension Clock where Duration == Swift.Duration {
  /// Returns a function that returns the time elapsed since this call.
  func stopwatch() -> @Sendable () -> Duration {
    let start = now
    return { start.duration(to: self.now) }
  }
}

extension ExternalStoreError {
  /// Converts any error to one with a sentence for the user.
  package init(explaining error: any Error) {
    switch error {
    case let error as ExternalStoreError:
      self = error
    case let error as HKError where error.code == .errorAuthorizationDenied:
      self.init(
        "reading the health store is not permitted (\(error.reason)): ask its owner for permission",
        outlook: .lasting)
    case let error as HKError where error.isOfLockedStore:
      self.init(locked: ())
    case let error as HKError:
      self.init(unusable: error.reason)
    case StorageError.locked:
      self.init(locked: ())
    case let failure as StorageError:
      self.init(unusable: "\(failure)")
    case is CancellationError:
      self.init(
        "the external store canceled its work without a reason: hrgate tries again", outlook: .passing)
    default:
      // Do not include the error's own description: it may contain addresses, secrets or values of samples.
      self.init(
        "the external store failed without a reason (\(Swift.type(of: error))): hrgate tries again",
        outlook: .passing)
    }
  }

  /// Retries at a short interval, so that sync continues soon after the health store is unlocked.
  private init(locked: ()) {
    self.init(
      "sync is paused while the store is locked: unlock it with `hrgate store unlock`",
      outlook: .passingAfter(.seconds(5)))
  }

  private init(unusable reason: String) {
    self.init(
      "the health store cannot be used (\(reason)): check its file and disk; hrgate tries again",
      outlook: .passing)
  }
}

/// The objects that a run and its rounds share.
struct RunContext: Sendable {
  let destination: SyncDestinationRecord
  let ledger: SyncLedger
  let uploader: PageUploader
  let policy: SyncPolicy
  /// The clock for all delays.
  let clock: any Clock<Duration>
  let progressStore: ProgressStore
  /// Whether the run waits for further changes after it has sent all changes.
  let follows: Bool

  /// Saves the result of sending a page of changes in the health store, and reports the progress.
  ///
  /// - Parameters:
  ///   - step: The new change log position of the page's type, or `nil` for retried records.
  ///   - resets: The number of resets of the destination when the page was read.
  /// - Returns: `false`, without saving anything, if the destination was reset or the sent samples changed in
  ///   the meantime.
  /// - Throws: `SyncDestinationError.unknown` if the destination was removed; `HKError`.
  func save(_ sent: PageUploader.Sent, _ step: CursorStep?, resets: Int64) async throws -> Bool {
    let (ledger, id) = (ledger, destination.id)
    let saving = try await HKError.translating {
      try await ledger.save(sent.records, step, marker: sent.marker, to: id, resets: resets)
    }
    switch saving {
    case .saved:
      progressStore.update { $0.count(sent.records) }
      return true
    case .superseded: return false
    case .gone: throw SyncDestinationError.unknown(destination.name)
    }
  }
}

extension SyncProgress {
  fileprivate mutating func count(_ records: SentRecords) {
    sent += records.sent
    deleted += records.deleted
    setAside += records.refused.count
    rejected += records.rejected.values.reduce(0, +)
  }
}
