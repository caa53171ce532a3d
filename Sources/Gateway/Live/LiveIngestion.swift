import Bluetooth
import HealthKit
import HealthStorage
import Ingestion

/// Holds the data of a run that is not committed yet, and commits it to the store.
///
/// One task adds the central's events and another commits, so that a slow commit does not delay the events.
actor LiveIngestion {
  /// Maximum number of samples in a commit. When it is reached, the samples are committed before the interval
  /// ends, and reading from the central pauses.
  private static let largestBatch = 10_000

  private let save: @Sendable (SampleBatch) async throws -> SampleBatch.Outcome
  private let policy: LivePolicy
  private let work: AsyncStream<Void>.Continuation
  private let onCommit: @Sendable (CommitReport) -> Void
  private let watch: LiveWatch?
  private var intake: EventIntake
  private var writer = SampleWriter(storesNothing: false, isLive: true)
  /// Data whose commit failed because the store was inaccessible. It is retried before newer data.
  private var refused: SampleBatch?
  /// The changes of the wall clock that the store rejected.
  private var clockChanges = RefusedClockChanges()
  /// The error of the last commit of measurements; `nil` if it succeeded.
  private var failure: (any Error)?
  private var failures = 0
  /// The number of samples and gaps in the current commit.
  private var underway = 0
  private var isCommitting = false
  private var waiting: [CheckedContinuation<Void, Never>] = []
  private var hasSignalled = false

  /// - Parameters:
  ///   - work: Receives an element when there is something to commit.
  ///   - watch: Receives measurements before they are committed; may be `nil`.
  ///   - save: Saves a batch in one transaction, or throws the store's error.
  init(
    policy: LivePolicy, known: [PeripheralIdentity: KnownStrap], _ work: AsyncStream<Void>.Continuation,
    _ onCommit: @escaping @Sendable (CommitReport) -> Void, watch: LiveWatch? = nil,
    save: @escaping @Sendable (SampleBatch) async throws -> SampleBatch.Outcome
  ) {
    self.save = save
    self.policy = policy
    self.work = work
    self.onCommit = onCommit
    self.watch = watch
    intake = EventIntake(known: known)
  }

  /// Whether there is something to commit.
  private var hasWork: Bool { writer.count > 0 || hasOwnWork || intake.hasUpdates }

  /// Whether a separate batch must be committed, such as a clock change. `work` receives no element for
  /// these.
  private var hasOwnWork: Bool { writer.hasEndedBatch || clockChanges.hasOccasion }

  private var heldBack: Int { writer.count + (refused?.count ?? 0) + underway }

  /// The maximum number of uncommitted samples. At least 1, because the central would wait forever with 0.
  private var largestHeldBack: Int { max(1, policy.heldBack) }

  // MARK: - Events of the central

  /// Records the setting of the wall clock at the start of the run, and uses it to correct times of earlier
  /// runs. Called before the first event.
  func begin(_ clock: ClockBeginning) {
    intake.begin(clock)
    intake.drain(into: &writer)
    signal()
  }

  func receive(_ events: [CentralEvent]) async {
    var taken = 0
    while taken < events.count {
      // Take as many events as there is room for samples, because most events result in one sample.
      let room = max(1, largestHeldBack - heldBack)
      let end = min(events.count, taken + min(room, Self.largestBatch))
      intake.isShedding = heldBack >= largestHeldBack
      intake.isWatched = watch?.isWatched() ?? false
      taken += intake.receive(events.span.extracting(taken..<end))
      if intake.isWatched { watch?.report(intake.takeReadings()) }
      intake.drain(into: &writer)
      signal()
      if isCommitting, intake.isWatched { watch?.count(summary, heldBack) }
      await makeRoom()
    }
  }

  /// Adds monitors that were added to the store during the run.
  func know(_ straps: [PeripheralIdentity: KnownStrap]) { intake.know(straps) }

  /// Makes the central wait while too many samples are uncommitted. Does not wait while the store fails,
  /// because live measurements cannot wait.
  private func makeRoom() async {
    while failure == nil, writer.count >= min(Self.largestBatch, largestHeldBack), !Task.isCancelled {
      if await commit() != nil { work.yield() }
    }
  }

  /// Wakes the committing task once. Samples that arrive before it runs are part of the same commit.
  private func signal() {
    guard !hasSignalled, hasWork else { return }
    hasSignalled = true
    work.yield()
  }

  // MARK: - Commits

  /// Commits the pending data. If the store is inaccessible, the data is kept for the next attempt.
  ///
  /// - Returns: The delay before the next attempt; `nil` to wait for an element of `work`.
  func commit() async -> Duration? {
    while isCommitting { await withCheckedContinuation { waiting.append($0) } }
    // Data that waited behind a failed commit is already late. `work` has no element for what remains of a
    // discarded commit.
    var isOverdue = refused != nil
    // `work` has no element for data that follows a clock change.
    let wasEnded = hasOwnWork
    guard let batch = takeBatch() else { return nil }
    isCommitting = true
    underway = batch.count
    var stored = MonitorChangesRecord()
    do {
      let outcome = try await save(batch)
      intake.tally.add(outcome)
      intake.endDeletedSeries(outcome.deletedSeries)
      stored = batch.changes
      failure = nil
      failures = 0
      clockChanges.noteOccasion()
    } catch {
      if refuse(batch, error) { isOverdue = true }
    }
    finishCommit(stored)
    if refused != nil { return policy.delay(afterFailures: failures) }
    return (isOverdue && hasWork) || hasOwnWork || wasEnded ? .zero : nil
  }

  private func takeBatch() -> SampleBatch? {
    if let refused {
      self.refused = nil
      return refused
    }
    if let changes = clockChanges.takeNext() { return changes }
    hasSignalled = false
    intake.drainUpdates(into: &writer)
    // Store unfinished heartbeat series together with the heart rates of the same notifications, so that both
    // are complete up to the same time if the process is killed.
    if !writer.hasEndedBatch { intake.drainOpenSeries(into: &writer) }
    return writer.takeBatch()
  }

  /// Handles a failed commit. The data is kept if the store is inaccessible, because this may be temporary.
  /// Data that the store will never accept is discarded, so that it does not block later data.
  /// - Returns: Whether measurements were discarded, so that gaps must be committed in their place at once.
  ///   Gaps that are themselves rejected wait for the next commit; otherwise they would be retried endlessly.
  private func refuse(_ batch: SampleBatch, _ error: any Error) -> Bool {
    if error is CancellationError {
      refused = batch
    } else if (error as? HKError)?.code == .errorDatabaseInaccessible {
      refused = batch
      failure = error
      failures += 1
    } else if batch.changes.clock != nil {
      // A clock change is committed separately. Its failure does not affect the measurements.
      clockChanges.refuse(batch, error)
    } else {
      let lost = batch.heartRates
      if lost > 0 { intake.tally.rejected[.storeFailed, default: 0] += lost }
      writer.add(batch.remains(afterLossBy: .storeUnavailable))
      failure = error
      return lost > 0
    }
    return false
  }

  /// - Parameter stored: The changes other than samples that the store has accepted, such as gaps.
  private func finishCommit(_ stored: MonitorChangesRecord) {
    underway = 0
    isCommitting = false
    let resumed = waiting
    waiting.removeAll()
    for continuation in resumed { continuation.resume() }
    onCommit(
      CommitReport(
        tally: summary, heldBack: heldBack, failure: failure,
        gaps: stored.gaps.compactMap(MonitorGap.init), clockErrors: stored.clock?.errors ?? [],
        clockRefusal: clockChanges.takeUpdates()))
  }

  private var summary: IngestionTally {
    var tally = intake.summary
    tally.refusedClockChanges = clockChanges.count
    return tally
  }

  /// Whether a caller is waiting for the commit to end.
  var isAwaited: Bool { !waiting.isEmpty }

  /// Returns when the current commit has ended, successfully or not.
  func takeTurn() async {
    if isCommitting { await withCheckedContinuation { waiting.append($0) } }
  }

  // MARK: - At the end

  /// Handles the end of the run: starts a gap for each connected monitor.
  func end(at time: ReceiptTime) {
    intake.end((.gatewayStopped, time))
    intake.drain(into: &writer)
  }

  /// Ends the run, counting all data that is still uncommitted as lost.
  ///
  /// - Returns: The counts, and the lost measurements and gaps; `nil` if nothing was lost.
  func conclude() -> (IngestionTally, LostMeasurementsError?) {
    var left = [refused].compactMap(\.self)
    while let batch = writer.takeBatch() { left.append(batch) }
    let lost = left.reduce(0) { $0 + $1.heartRates }
    if lost > 0 { intake.tally.rejected[.storeFailed, default: 0] += lost }
    let isEndLost = left.contains { $0.count > 0 || $0.changes.clock != nil }
    clockChanges.add(left.filter { $0.changes.clock != nil })
    // Only measurements, gaps and clock changes count as lost; a battery level or a name does not.
    guard isEndLost || clockChanges.count > 0 else { return (summary, nil) }
    let loss = LostMeasurementsError(
      count: lost, cause: failure ?? clockChanges.reason ?? CancellationError(), isEndLost: isEndLost,
      isClockLost: !isEndLost || clockChanges.hasCorrections)
    return (summary, loss)
  }
}
