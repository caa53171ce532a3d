import Bluetooth
import HealthKit
import HealthStorage
import HealthSystem
import Ingestion

/// From what peripherals notify to what the store keeps, for a source that neither waits nor ends: the radio.
///
/// What was gathered is committed after ``LivePolicy/commitInterval`` at the latest, whether or not more
/// arrives; while nothing was gathered, nothing wakes. A store that cannot be written to (the disk is full,
/// the file is locked) does not end the run: what was gathered is held in memory up to a bound, and the store
/// is tried again. What goes beyond the bound is counted as `Rejection.storeFailed` and stands in the store
/// as a gap once it can be written to again.
///
/// One run at a time: its caller has made the program the store's gateway
/// (``MonitorRegistry/becomeGateway()``).
///
/// Enrolled monitors are known by their descriptions from the start, and their gaps by how the run before
/// ended: after a run that was stopped, each monitor that was connected or measured during the run has an
/// open gap from its last measurement on; one that was killed left nothing after its last commit.
struct LivePipeline<C: Clock>: Sendable where C.Duration == Duration {
  private let registry: MonitorRegistry
  private let policy: LivePolicy
  private let clock: C
  private let wallTime: @Sendable () -> ReceiptTime

  /// - Parameters:
  ///   - clock: Measures the commit interval and the time between retries.
  ///   - wallTime: The receipt time of what would be received now, for the end of the run.
  init(
    _ registry: MonitorRegistry, policy: LivePolicy = LivePolicy(), clock: C,
    wallTime: @escaping @Sendable () -> ReceiptTime = { SystemClocks.now().wall }
  ) {
    self.registry = registry
    self.policy = policy
    self.clock = clock
    self.wallTime = wallTime
  }

  /// Reads a central until it ends, and then commits what is left. If this task is cancelled, nothing more is
  /// committed: end the run by `stop`, or by stopping the central, and not by cancelling.
  ///
  /// - Parameters:
  ///   - known: What is known of the straps before the run: ``MonitorRegistry/known(_:killed:)``.
  ///   - beginning: What is known of the clock; `nil` for a source whose times are none of this machine's.
  ///   - stop: Its end ends the reading, as the end of the central would. `nil` for a central that is stopped
  ///     itself.
  ///   - enrolments: The enrolled monitors, told anew while the run goes on. New ones are then known from
  ///     their first measurement on, like those that were enrolled before.
  ///   - onCommit: Called after each attempt to commit, on no particular thread.
  ///   - onKnown: Called with the enrolled monitors as soon as they are known.
  ///   - watch: Those who watch what comes in.
  ///   - turns: Gets what takes this run's turns.
  func run(
    _ central: some Central, known: [PeripheralIdentity: KnownStrap], beginning: ClockBeginning? = nil,
    until stop: AsyncStream<Void>? = nil,
    enrolments: AsyncStream<[EnrolledMonitor]>? = nil,
    onCommit: @escaping @Sendable (CommitReport) -> Void = { _ in },
    onKnown: @escaping @Sendable ([EnrolledMonitor]) async -> Void = { _ in },
    watch: LiveWatch? = nil, turns: GatewayTurns? = nil
  ) async -> LiveOutcome {
    let (work, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let store = registry.store.healthStore
    // Without a condenser each row of a commit would stay one.
    let form: MeasuredForm = policy.condenses ? .batch : .rows
    let earlier = EarlierRun(store)
    let ingestion = LiveIngestion(policy: policy, known: known, signal, onCommit, watch: watch) { batch in
      try await earlier.finish()
      return try await batch.save(to: store, as: form)
    }
    turns?.add(.store) { await ingestion.takeTurn() }
    if let beginning {
      await ingestion.begin(beginning)
      // Before the first measurement: a run that is killed at once is known to have been. What one before it
      // had is a batch of its own, which goes first.
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
      // The first to end ends the other; what the central has given by then is received.
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
      // Without their open gaps they would be known wrongly, so a store that cannot be read is read again.
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
      // Cancelled: the source has ended, and what is left is committed there.
    }
  }

  private func end(_ ingestion: LiveIngestion) async -> (IngestionTally, LostMeasurements?) {
    await ingestion.end(at: wallTime())
    let deadline = clock.now.advanced(by: policy.lastPatience)
    // Patience is for a store that refuses. One that takes what it gets has all of it, however slow it is.
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
  /// By this machine's clocks.
  init(
    _ registry: MonitorRegistry, policy: LivePolicy = LivePolicy(),
    wallTime: @escaping @Sendable () -> ReceiptTime = { SystemClocks.now().wall }
  ) {
    self.init(registry, policy: policy, clock: ContinuousClock(), wallTime: wallTime)
  }
}

/// What a run before this one left unfinished because it was killed.
private actor EarlierRun {
  private let store: HKHealthStore
  private var isFinished = false

  init(_ store: HKHealthStore) { self.store = store }

  /// Finishes its series of beats, before the first commit of this run.
  /// - Throws: The store's error if it cannot be written to now. Damage that keeps the series from being finished
  ///   keeps nothing from being measured.
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
