import Bluetooth
import HealthKit
import HealthStorage
import HealthSystem
import Ingestion

/// Stores the notifications of a central that cannot wait, such as the radio.
///
/// Data is committed within ``LivePolicy/commitInterval``. While the store is not writable (full disk, locked
/// file), the run continues: data is held in memory up to a limit, and the commit is retried. Measurements
/// beyond the limit count as `Rejection.storeFailed`, and a gap is stored for them as soon as the store is
/// writable again.
///
/// Only one run at a time: the caller must have made the program the store's gateway
/// (``MonitorRegistry/becomeGateway()``).
///
/// At the start of a run, each monitor has a gap since its last measurement. A previous run that ended
/// normally has stored the start of this gap. If it was killed, the gap starts with the last measurement that
/// it committed.
struct LivePipeline<C: Clock>: Sendable where C.Duration == Duration {
  private let registry: MonitorRegistry
  private let policy: LivePolicy
  /// Whether this run continues directly after the last record in the inbox, without a gap.
  private let continuesRecording: Bool
  private let clock: C
  private let wallTime: @Sendable () -> ReceiptTime

  /// - Parameters:
  ///   - continuesRecording: Whether this run continues directly after the last record in the inbox.
  ///   - clock: Measures the commit interval and the time between retries.
  ///   - wallTime: Returns the current receipt time, for the end of the run.
  init(
    _ registry: MonitorRegistry, policy: LivePolicy = LivePolicy(), continuesRecording: Bool = false,
    clock: C,
    wallTime: @escaping @Sendable () -> ReceiptTime = { SystemClocks.now().wall }
  ) {
    self.registry = registry
    self.policy = policy
    self.continuesRecording = continuesRecording
    self.clock = clock
    self.wallTime = wallTime
  }

  /// Reads a central until it ends, and then commits the pending data. To end the run early, finish `stop` or
  /// stop the central; canceling the task would lose the pending data.
  ///
  /// - Parameters:
  ///   - known: What the store knows about the monitors: ``MonitorRegistry/known(_:killed:)``.
  ///   - enrolled: The monitors of the store at the start. A run that continues the recording of a locked gateway
  ///     stores events of these and of later ones only; `nil` for all.
  ///   - beginning: The setting of the wall clock at the start; `nil` if the central's times are not from
  ///     this machine's clock.
  ///   - stop: When it finishes, the run ends as if the central had ended. `nil` if the caller stops the
  ///     central instead.
  ///   - enrolments: The monitors of the store, at the start and after each change.
  ///   - onCommit: Called after each attempt to commit, on any thread.
  ///   - onKnown: Called with the monitors of the store as soon as their descriptions and gaps have been
  ///     read.
  ///   - watch: Receives measurements before they are committed.
  ///   - probes: Receives the liveness check of this run.
  func run(
    _ central: some Central, known: [PeripheralIdentity: KnownStrap], enrolled: [EnrolledMonitor]? = nil,
    beginning: ClockBeginning? = nil,
    until stop: AsyncStream<Void>? = nil,
    enrolments: AsyncStream<[EnrolledMonitor]>? = nil,
    onCommit: @escaping @Sendable (CommitReport) -> Void = { _ in },
    onKnown: @escaping @Sendable ([EnrolledMonitor]) async -> Void = { _ in },
    watch: LiveWatch? = nil, probes: LivenessProbe? = nil
  ) async -> LiveOutcome {
    let (work, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let store = registry.store.healthStore
    // Write compressed segments only if compaction is enabled. Otherwise the small segment of each commit
    // would never be merged.
    let form: MeasuredForm = policy.condenses ? .segments : .rows
    let earlier = EarlierRun(store)
    let ingestion = LiveIngestion(
      policy: policy, known: known, signal, onCommit, watch: watch, inbox: inbox,
      onlyOf: continuesRecording ? enrolled : nil
    ) { batch in
      try await earlier.finish()
      return try await batch.save(to: store, as: form)
    }
    probes?.add(.store) { await ingestion.respondToProbe() }
    if let beginning {
      await ingestion.begin(beginning)
      // Commit before the first measurement arrives, so that the next run knows of this one even if it is
      // killed at once.
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

  /// The inbox, which holds measurements received while the store is locked; `nil` if the store is not
  /// encrypted.
  var inbox: LiveInbox? {
    // If the key file cannot be read, there is no public key to encrypt with. Measurements are then kept in
    // memory while the store is locked.
    guard let path = registry.store.database.path, let sealed = try? SealedInbox(ofStoreAt: path) else {
      return nil
    }
    return LiveInbox(
      sealed: sealed, continuesRecording: continuesRecording,
      store: LiveInbox.Store(
        enrolled: { [registry] in Set(try await registry.monitors().map { .address($0.address) }) },
        progress: { [registry] in
          try await HKError.translating { try await registry.store.database.inboxProgress() }
        }))
  }

  /// Processes the central's events until the central ends or `stop` finishes.
  /// - Returns: The error that ended the central, if any.
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
      // When one of the two tasks ends, cancel the other. The reading task still processes the events that
      // the central has already emitted.
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
      // If the store cannot be read, retry: the monitors' gaps must be known before their first measurements,
      // which end these gaps.
      let known = await clock.retry(every: policy.longestRetry) { try await registry.known(monitors) }
      guard let known else { return }
      await ingestion.know(known, enrolled: monitors)
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
      // The task was canceled because the central has ended. `end` commits the pending data.
    }
  }

  private func end(_ ingestion: LiveIngestion) async -> (IngestionTally, LostMeasurementsError?) {
    await ingestion.end(at: wallTime())
    let deadline = clock.now.advanced(by: policy.finalTimeout)
    // Stop at the deadline only if commits fail. A slow store that accepts them gets all data.
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
  /// Creates a pipeline that uses this machine's monotonic clock.
  init(
    _ registry: MonitorRegistry, policy: LivePolicy = LivePolicy(), continuesRecording: Bool = false,
    wallTime: @escaping @Sendable () -> ReceiptTime = { SystemClocks.now().wall }
  ) {
    self.init(
      registry, policy: policy, continuesRecording: continuesRecording, clock: ContinuousClock(),
      wallTime: wallTime)
  }
}

/// The heartbeat series that the previous run left unfinished when it was killed.
private actor EarlierRun {
  private let store: HKHealthStore
  private var isFinished = false

  init(_ store: HKHealthStore) { self.store = store }

  /// Finishes the heartbeat series left by the previous run. This happens only once, before the first commit
  /// of this run.
  /// - Throws: The store's error if it is not writable now. Other errors, such as a damaged series, are
  ///   ignored, so that new measurements can be stored.
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
  /// The error that ended the central; `nil` if the run was stopped.
  var failure: (any Error)?
  /// The measurements that could not be stored; `nil` if all were stored.
  var loss: LostMeasurementsError?
}

/// Passes measurements on to subscribers before they are committed, without waiting for them.
struct LiveWatch: Sendable {
  /// Returns whether there are subscribers now.
  var isWatched: @Sendable () -> Bool
  /// Called if more measurements arrive during a commit, which may take long. Receives the current counts,
  /// and the number of uncommitted samples and gaps.
  var count: @Sendable (IngestionTally, Int) -> Void = { _, _ in }
  /// Called with decoded measurements and battery levels that arrived together, in order, before they are
  /// committed.
  var report: @Sendable ([StrapReading]) -> Void
}

extension Clock where Duration == Swift.Duration {
  /// Calls `attempt` until it succeeds, pausing after each error.
  /// - Returns: `nil` if the task is canceled.
  func retry<Value>(every pause: Duration, _ attempt: () async throws -> Value) async -> Value? {
    while !Task.isCancelled {
      if let value = try? await attempt() { return value }
      try? await sleep(for: pause)
    }
    return nil
  }
}
