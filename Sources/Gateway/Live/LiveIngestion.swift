import Bluetooth
import HealthKit
import HealthStorage
import Ingestion

/// What a live run has gathered, and its way into the store.
///
/// One task reads the source into it and another commits; a commit that takes long does not keep the source
/// waiting.
actor LiveIngestion {
  /// So many samples do not wait for the interval; the source waits until they are committed.
  private static let largestBatch = 10_000

  private let save: @Sendable (SampleBatch) async throws -> SampleBatch.Outcome
  private let policy: LivePolicy
  private let work: AsyncStream<Void>.Continuation
  private let onCommit: @Sendable (CommitReport) -> Void
  private let watch: LiveWatch?
  private var intake: EventIntake
  private var writer = SampleWriter(storesNothing: false, isLive: true)
  /// What the store refused, to be tried again before what came after it.
  private var refused: SampleBatch?
  /// What became known of the clock and the store refused for good, or so it seems.
  private var clockChanges = RefusedClockChanges()
  /// Why the store does not take what was measured.
  private var failure: (any Error)?
  private var failures = 0
  /// How much is being committed at this moment.
  private var underway = 0
  private var isCommitting = false
  private var waiting: [CheckedContinuation<Void, Never>] = []
  private var hasSignalled = false

  /// - Parameters:
  ///   - work: Signalled when something waits to be committed.
  ///   - watch: Those who watch; `nil` for nobody.
  ///   - save: Commits a batch or throws why not.
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

  /// Something waits to be committed.
  private var hasWork: Bool { writer.count > 0 || hasOwnWork || intake.hasNews }

  /// What waits to be committed by itself, and has no signal of its own.
  private var hasOwnWork: Bool { writer.hasEndedBatch || clockChanges.hasOccasion }

  private var heldBack: Int { writer.count + (refused?.count ?? 0) + underway }

  /// Without room for a single sample the source would wait for ever.
  private var largestHeldBack: Int { max(1, policy.heldBack) }

  // MARK: - From the source

  /// What earlier runs left is told by what the clock is set to now, before anything is received.
  func begin(_ clock: ClockBeginning) {
    intake.begin(clock)
    intake.drain(into: &writer)
    signal()
  }

  func receive(_ events: [CentralEvent]) async {
    var taken = 0
    while taken < events.count {
      // As many as there is room for: most events make one sample.
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

  /// Monitors that were enrolled meanwhile.
  func know(_ straps: [PeripheralIdentity: KnownStrap]) { intake.know(straps) }

  /// A source that is too fast for the interval waits for a store that works, but not for one that does not.
  private func makeRoom() async {
    while failure == nil, writer.count >= min(Self.largestBatch, largestHeldBack), !Task.isCancelled {
      if await commit() != nil { work.yield() }
    }
  }

  /// Signals once per batch; further samples join it.
  private func signal() {
    guard !hasSignalled, hasWork else { return }
    hasSignalled = true
    work.yield()
  }

  // MARK: - To the store

  /// Commits what was gathered; if the store refuses it, it is kept for the next time.
  /// - Returns: After how long there is something to commit again; `nil` to wait for the signal.
  func commit() async -> Duration? {
    while isCommitting { await withCheckedContinuation { waiting.append($0) } }
    // What was held back behind a batch that was refused has waited long enough, and what is left of one that
    // was given up has no signal of its own.
    var isOverdue = refused != nil
    // What came after the clock was set has had no signal of its own.
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
    intake.drainNews(into: &writer)
    // With the frames that brought them: what is committed can be accounted for, whenever the process ends.
    if !writer.hasEndedBatch { intake.drainOpenSeries(into: &writer) }
    return writer.takeBatch()
  }

  /// An inaccessible store may be accessible again later. A batch that it will never take must not block the
  /// others.
  /// - Returns: Whether measurements were given up, and their gaps are to be committed at once. Gaps that are
  ///   refused by themselves wait for the next signal, or they would be tried without end.
  private func refuse(_ batch: SampleBatch, _ error: any Error) -> Bool {
    if error is CancellationError {
      refused = batch
    } else if (error as? HKError)?.code == .errorDatabaseInaccessible {
      refused = batch
      failure = error
      failures += 1
    } else if batch.changes.clock != nil {
      // It is a batch by itself, and says nothing of whether measurements can be stored.
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

  /// - Parameter stored: What the store has taken beside samples.
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
        clockRefusal: clockChanges.takeNews()))
  }

  private var summary: IngestionTally {
    var tally = intake.summary
    tally.refusedClockChanges = clockChanges.count
    return tally
  }

  /// Somebody waits for the end of a commit.
  var isAwaited: Bool { !waiting.isEmpty }

  /// Returns once the store has answered a commit that may be under way, whatever it answered.
  func takeTurn() async {
    if isCommitting { await withCheckedContinuation { waiting.append($0) } }
  }

  // MARK: - At the end

  /// The source has ended: monitors that are connected are missed from here on.
  func end(at time: ReceiptTime) {
    intake.end((.gatewayStopped, time))
    intake.drain(into: &writer)
  }

  /// What is not committed by now is lost.
  /// - Returns: The counts, and what is lost of measurements and gaps.
  func conclude() -> (IngestionTally, LostMeasurements?) {
    var left = [refused].compactMap(\.self)
    while let batch = writer.takeBatch() { left.append(batch) }
    let lost = left.reduce(0) { $0 + $1.heartRates }
    if lost > 0 { intake.tally.rejected[.storeFailed, default: 0] += lost }
    let isEndLost = left.contains { $0.count > 0 || $0.changes.clock != nil }
    clockChanges.add(left.filter { $0.changes.clock != nil })
    // Without a new battery level or name nothing is missing from the record.
    guard isEndLost || clockChanges.count > 0 else { return (summary, nil) }
    let loss = LostMeasurements(
      count: lost, cause: failure ?? clockChanges.reason ?? CancellationError(), isEndLost: isEndLost,
      isClockLost: !isEndLost || clockChanges.hasCorrections)
    return (summary, loss)
  }
}
