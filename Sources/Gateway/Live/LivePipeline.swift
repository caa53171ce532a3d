import Bluetooth
import HealthKit
import HealthStorage
import HealthSystem
import Ingestion

/// Stores the notifications of a central that runs in real time, such as the radio.
///
/// Data is committed at the latest after ``LivePolicy/commitInterval``. While no data arrives, nothing
/// wakes up. A store that cannot be written to (full disk, locked file) does not end the run: data is held
/// in memory up to a limit, and the commit is retried. Measurements beyond the limit count as
/// `Rejection.storeFailed` and are recorded as a gap once the store can be written to again.
///
/// Only one run at a time: the caller must have made the program the store's gateway
/// (``MonitorRegistry/becomeGateway()``).
///
/// The descriptions of enrolled monitors are known from the start. Their gaps follow from how the previous
/// run ended. A run that was stopped left an open gap for each monitor that was connected or measured, from
/// its last measurement on. A run that was killed left nothing after its last commit.
struct LivePipeline<C: Clock>: Sendable where C.Duration == Duration {
  private let registry: MonitorRegistry
  private let policy: LivePolicy
  private let clock: C
  private let wallTime: @Sendable () -> ReceiptTime

  /// - Parameters:
  ///   - clock: Measures the commit interval and the time between retries.
  ///   - wallTime: Returns the current receipt time, for the end of the run.
  init(
    _ registry: MonitorRegistry, policy: LivePolicy = LivePolicy(), clock: C,
    wallTime: @escaping @Sendable () -> ReceiptTime = { SystemClocks.now().wall }
  ) {
    self.registry = registry
    self.policy = policy
    self.clock = clock
    self.wallTime = wallTime
  }

  /// Reads a central until it ends, and then commits what is left. If this task is canceled, nothing more
  /// is committed: to end a run, finish `stop` or stop the central.
  ///
  /// - Parameters:
  ///   - known: The straps that are known before the run: ``MonitorRegistry/known(_:killed:)``.
  ///   - beginning: The clock at the start; `nil` for a source whose times are not this machine's.
  ///   - stop: Ends the reading when it finishes, like the end of the central. `nil` if the central itself
  ///     is stopped.
  ///   - enrolments: The enrolled monitors after each change. New ones are then known from their first
  ///     measurement on.
  ///   - onCommit: Called after each attempt to commit, on any thread.
  ///   - onKnown: Called with the enrolled monitors as soon as they are known.
  ///   - watch: The watchers of incoming measurements.
  ///   - probes: Gets this run's step of the liveness check.
  func run(
    _ central: some Central, known: [PeripheralIdentity: KnownStrap], beginning: ClockBeginning? = nil,
    until stop: AsyncStream<Void>? = nil,
    enrolments: AsyncStream<[EnrolledMonitor]>? = nil,
    onCommit: @escaping @Sendable (CommitReport) -> Void = { _ in },
    onKnown: @escaping @Sendable ([EnrolledMonitor]) async -> Void = { _ in },
    watch: LiveWatch? = nil, probes: LivenessProbe? = nil
  ) async -> LiveOutcome {
    let (work, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let store = registry.store.healthStore
    // Without compaction, each small segment of a commit would stay one.
    let form: MeasuredForm = policy.condenses ? .segments : .rows
    let earlier = EarlierRun(store)
    let ingestion = LiveIngestion(policy: policy, known: known, signal, onCommit, watch: watch) { batch in
      try await earlier.finish()
      return try await batch.save(to: store, as: form)
    }
    probes?.add(.store) { await ingestion.takeTurn() }
    if let beginning {
      await ingestion.begin(beginning)
      // Commit before the first measurement, so that a run that is killed at once is detected. An earlier
      // run's part is a batch of its own and is committed first.
      while await ingestion.commit() == .zero {}
    }
    let failure = await withTaskGroup(of: Void.self) { group in
      group.addTask { await commit(ingestion, whenever: work) }
      if let enrolments { group.addTask { await learn(of: enrolments, into: ingestion, onKnown) } }
      let failure = await read(central, until: stop, into: ingestion)
      group.cancelAll()
      return failure
    }
    let (tally, loss) = await end(ingestion)
    return LiveOutcome(tally: tally, failure: failure, loss: loss)
  }

  /// - Returns: The central's error.
  private func read(
    _ central: some Central, until stop: AsyncStream<Void>?, into ingestion: LiveIngestion
  ) async -> (any Error)? {
    guard let stop else { return await read(central, into: ingestion) }
    return await withTaskGroup(of: (any Error)?.self) { group in
      group.addTask { await read(central, into: ingestion) }
      group.addTask {
        for await _ in stop {}
        return nil
      }
      // The first task to end ends the other. Events that the central emitted by then are received.
      var failure = await group.next() ?? nil
      group.cancelAll()
      while let other = await group.next() { failure = failure ?? other }
      return failure is CancellationError ? nil : failure
    }
  }

  private func read(_ central: some Central, into ingestion: LiveIngestion) async -> (any Error)? {
    do {
      for try await events in central.events() {
        await ingestion.receive(events)
        if Task.isCancelled { break }
      }
      return nil
    } catch {
      return error
    }
  }

  private func learn(
    of enrolments: AsyncStream<[EnrolledMonitor]>, into ingestion: LiveIngestion,
    _ onKnown: @Sendable ([EnrolledMonitor]) async -> Void
  ) async {
    for await monitors in enrolments {
      // Retry if the store cannot be read: the first measurements must end the gaps that earlier runs left.
      let known = await clock.retry(every: policy.longestRetry) { try await registry.known(monitors) }
      guard let known else { return }
      await ingestion.know(known)
      await onKnown(monitors)
    }
  }

  private func commit(_ ingestion: LiveIngestion, whenever work: AsyncStream<Void>) async {
    do {
      for await _ in work {
        if policy.commitInterval > .zero { try await clock.sleep(for: policy.commitInterval) }
        while let delay = await ingestion.commit() { try await clock.sleep(for: delay) }
      }
    } catch {
      // Canceled: the source has ended, and `end` commits what is left.
    }
  }

  private func end(_ ingestion: LiveIngestion) async -> (IngestionTally, LostMeasurements?) {
    await ingestion.end(at: wallTime())
    let deadline = clock.now.advanced(by: policy.finalTimeout)
    // The timeout applies to a store that fails. A slow store that accepts batches gets all of them.
    while let delay = await ingestion.commit(),
      delay == .zero || clock.now.advanced(by: delay) < deadline
    {
      do {
        try await clock.sleep(for: delay)
      } catch {
        break
      }
    }
    return await ingestion.conclude()
  }
}

extension LivePipeline where C == ContinuousClock {
  /// Uses this machine's monotonic clock.
  init(
    _ registry: MonitorRegistry, policy: LivePolicy = LivePolicy(),
    wallTime: @escaping @Sendable () -> ReceiptTime = { SystemClocks.now().wall }
  ) {
    self.init(registry, policy: policy, clock: ContinuousClock(), wallTime: wallTime)
  }
}

/// The series that a killed run before this one left unfinished.
private actor EarlierRun {
  private let store: HKHealthStore
  private var isFinished = false

  init(_ store: HKHealthStore) { self.store = store }

  /// Finishes the open heartbeat series, once, before the first commit of this run.
  /// - Throws: The store's error if it cannot be written to now. Other errors, such as damage of the
  ///   series, are ignored, so that new measurements can be stored.
  func finish() async throws {
    guard !isFinished else { return }
    do {
      _ = try await store.finishOpenSeries()
    } catch let error as HKError where error.code == .errorDatabaseInaccessible {
      throw error
    } catch is CancellationError {
      throw CancellationError()
    } catch {}
    isFinished = true
  }
}

/// The result of a live run.
struct LiveOutcome: Sendable {
  var tally: IngestionTally
  /// The central's error, if one ended the run.
  var failure: (any Error)?
  /// The measurements that the store did not accept; `nil` if it accepted all.
  var loss: LostMeasurements?
}

/// Sends incoming readings to the watchers of a run, without waiting for them.
struct LiveWatch: Sendable {
  /// Returns whether there are watchers now.
  var isWatched: @Sendable () -> Bool
  /// Called if more readings arrive during a commit, which may take long: the counts so far, and the number
  /// of pending samples and gaps.
  var count: @Sendable (IngestionTally, Int) -> Void = { _, _ in }
  /// Called with decoded readings that arrived together, in order, before they are committed.
  var tell: @Sendable ([StrapReading]) -> Void
}

extension Clock where Duration == Swift.Duration {
  /// Retries an attempt that fails while a store cannot be read, with a pause in between.
  /// - Returns: `nil` if the task is canceled.
  func retry<Value>(every pause: Duration, _ attempt: () async throws -> Value) async -> Value? {
    while !Task.isCancelled {
      if let value = try? await attempt() { return value }
      try? await sleep(for: pause)
    }
    return nil
  }
}
