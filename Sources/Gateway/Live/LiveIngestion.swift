import Bluetooth
import HealthKit
import HealthStorage
import Ingestion

/// The uncommitted data of a live run, and its commits to the store.
///
/// One task adds the central's events and another one commits. A slow commit does not block the first.
actor LiveIngestion {
  /// Maximum number of samples in a batch. A full batch is committed before the interval ends, and the
  /// source waits for it.
  private static let largestBatch = 10_000

  private let save: @Sendable (SampleBatch) async throws -> SampleBatch.Outcome
  private let policy: LivePolicy
  private let work: AsyncStream<Void>.Continuation
  private let onCommit: @Sendable (CommitReport) -> Void
  private let watch: LiveWatch?
  private var intake: EventIntake
  private var writer = SampleWriter(storesNothing: false, isLive: true)
  /// The batch that the store rejected. It is retried before newer ones.
  private var refused: SampleBatch?
  /// The clock changes that the store rejected.
  private var clockChanges = RefusedClockChanges()
  /// The error of the last commit of measurements.
  private var failure: (any Error)?
  private var failures = 0
  /// The number of samples and gaps in the running commit.
  private var underway = 0
  private var isCommitting = false
  private var waiting: [CheckedContinuation<Void, Never>] = []
  private var hasSignalled = false

  /// - Parameters:
  ///   - work: Signaled when something is pending.
  ///   - watch: The watchers; `nil` if there are none.
  ///   - save: Commits a batch, or throws the error of the store.
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

  /// Whether something is pending.
  private var hasWork: Bool { writer.count > 0 || hasOwnWork || intake.hasUpdates }

  /// Whether batches are pending that are committed separately and have no signal of their own.
  private var hasOwnWork: Bool { writer.hasEndedBatch || clockChanges.hasOccasion }

  private var heldBack: Int { writer.count + (refused?.count ?? 0) + underway }

  /// At least 1: without room for a single sample the source would wait forever.
  private var largestHeldBack: Int { max(1, policy.heldBack) }

  // MARK: - From the source

  /// Records the clock at the start of the run, and what it says about earlier runs. Called before anything
  /// is received.
  func begin(_ clock: ClockBeginning) {
    intake.begin(clock)
    intake.drain(into: &writer)
    signal()
  }

  func receive(_ events: [CentralEvent]) async {
    var taken = 0
    while taken < events.count {
      // Take as many events as there is room for: most events make one sample.
      let room = max(1, largestHeldBack - heldBack)
      let end = min(events.count, taken + min(room, Self.largestBatch))
      intake.isShedding = heldBack >= largestHeldBack
      intake.isWatched = watch?.isWatched() ?? false
      taken += intake.receive(events.span.extracting(taken..<end))
      if intake.isWatched { watch?.tell(intake.takeReadings()) }
      intake.drain(into: &writer)
      signal()
      if isCommitting, intake.isWatched { watch?.count(summary, heldBack) }
      await makeRoom()
    }
  }

  /// Adds straps that were enrolled during the run.
  func know(_ straps: [PeripheralIdentity: KnownStrap]) { intake.know(straps) }

  /// Makes a source that is too fast for the interval wait, unless the store is failing.
  private func makeRoom() async {
    while failure == nil, writer.count >= min(Self.largestBatch, largestHeldBack), !Task.isCancelled {
      if await commit() != nil { work.yield() }
    }
  }

  /// Signals once per batch. Further samples join the same batch.
  private func signal() {
    guard !hasSignalled, hasWork else { return }
    hasSignalled = true
    work.yield()
  }

  // MARK: - To the store

  /// Commits what was gathered. If the store rejects it, it is kept for the next attempt.
  /// - Returns: The time until the next commit is due; `nil` to wait for the signal.
  func commit() async -> Duration? {
    while isCommitting { await withCheckedContinuation { waiting.append($0) } }
    // Data that was held back behind a rejected batch is overdue, and the remains of a discarded batch have
    // no signal of their own.
    var isOverdue = refused != nil
    // Data that followed a clock change had no signal of its own.
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
    // Open series are stored together with their frames, so that the store is consistent if the process is
    // killed.
    if !writer.hasEndedBatch { intake.drainOpenSeries(into: &writer) }
    return writer.takeBatch()
  }

  /// Handles the error of a commit. A store that is inaccessible may become accessible again, so its batch
  /// is kept. A batch that the store will never accept is discarded, so that it does not block others.
  /// - Returns: Whether measurements were discarded and their gaps must be committed at once. Gaps that are
  ///   rejected on their own wait for the next signal; otherwise they would be retried without end.
  private func refuse(_ batch: SampleBatch, _ error: any Error) -> Bool {
    if error is CancellationError {
      refused = batch
    } else if (error as? HKError)?.code == .errorDatabaseInaccessible {
      refused = batch
      failure = error
      failures += 1
    } else if batch.changes.clock != nil {
      // A clock change is a batch of its own, and its failure says nothing about measurements.
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

  /// - Parameter stored: The changes other than samples that the store has accepted.
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

  /// Whether a caller waits for the end of a commit.
  var isAwaited: Bool { !waiting.isEmpty }

  /// Returns when the running commit has ended, with or without an error.
  func takeTurn() async {
    if isCommitting { await withCheckedContinuation { waiting.append($0) } }
  }

  // MARK: - At the end

  /// Ends the run: from here on, monitors that are connected have an open gap.
  func end(at time: ReceiptTime) {
    intake.end((.gatewayStopped, time))
    intake.drain(into: &writer)
  }

  /// Counts everything that is not committed by now as lost.
  /// - Returns: The counts, and the lost measurements and gaps.
  func conclude() -> (IngestionTally, LostMeasurements?) {
    var left = [refused].compactMap(\.self)
    while let batch = writer.takeBatch() { left.append(batch) }
    let lost = left.reduce(0) { $0 + $1.heartRates }
    if lost > 0 { intake.tally.rejected[.storeFailed, default: 0] += lost }
    let isEndLost = left.contains { $0.count > 0 || $0.changes.clock != nil }
    clockChanges.add(left.filter { $0.changes.clock != nil })
    // A battery level or name that is not stored does not make the record incomplete.
    guard isEndLost || clockChanges.count > 0 else { return (summary, nil) }
    let loss = LostMeasurements(
      count: lost, cause: failure ?? clockChanges.reason ?? CancellationError(), isEndLost: isEndLost,
      isClockLost: !isEndLost || clockChanges.hasCorrections)
    return (summary, loss)
  }
}
