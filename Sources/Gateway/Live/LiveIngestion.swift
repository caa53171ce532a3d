import Bluetooth
import HealthKit
import HealthStorage
import Ingestion

/// Holds the data of a run that is not committed yet, and commits it to the store.
///
/// One task adds the central's events and another commits, so that a slow commit does not delay the events.
actor LiveIngestion {
  /// Maximum number of samples in a commit. When it is reached, the samples are committed before the commit
  /// interval ends, and reading from the central pauses.
  private static let largestBatch = 10_000

  let save: @Sendable (SampleBatch) async throws -> SampleBatch.Outcome
  let policy: LivePolicy
  private let work: AsyncStream<Void>.Continuation
  private let onCommit: @Sendable (CommitReport) -> Void
  private let watch: LiveWatch?
  var intake: EventIntake
  var writer = SampleWriter(storesNothing: false, isLive: true)
  /// The batch that the store rejected at the last commit, if any. It is retried before newer ones.
  var refused: SampleBatch?
  /// The clock changes that the store rejected.
  private var clockChanges = RefusedClockChanges()
  /// The inbox of an encrypted store, for measurements received while it is locked; `nil` if the store is not
  /// encrypted.
  let inbox: LiveInbox?
  /// The monitors whose events are stored, in a run that continues the recording of a locked gateway; `nil`
  /// for all. Such a run receives events of monitors that are not in the store, for example those of another
  /// person, until the central has disconnected from them.
  private(set) var accepted: Set<PeripheralIdentity>?
  /// The records for the inbox while the store is locked; `nil` while measurements are committed to the
  /// store.
  var sealing: SealedCommits?
  /// The setting of the wall clock at the start of the run.
  private(set) var beginning: ClockBeginning?
  /// Whether a commit has succeeded in this run.
  private var hasCommitted = false
  /// The events whose samples are not committed yet. If the store is locked, they are written to the inbox.
  /// Always empty for a store that is not encrypted.
  var retained: [CentralEvent] = []
  /// The number of events at the start of ``retained`` that are removed when the current batch is committed.
  private var covered = 0
  /// Errors found in the inbox, as sentences, that were not reported yet.
  var inboxNotices: [String] = []
  /// The error of the last commit of measurements.
  var failure: (any Error)?
  var failures = 0
  /// The number of samples and gaps in the running commit.
  private var underway = 0
  var isCommitting = false
  private var waiting: [CheckedContinuation<Void, Never>] = []
  private var hasSignalled = false

  /// - Parameters:
  ///   - work: Receives an element when there is data to commit.
  ///   - watch: Receives measurements before they are committed; `nil` if there are no subscribers.
  ///   - inbox: The inbox of an encrypted store; `nil` if the store is not encrypted.
  ///   - enrolled: The monitors whose events are stored, besides those that are enrolled during the run; `nil`
  ///     for all.
  ///   - save: Commits a batch, or throws the error of the store.
  init(
    policy: LivePolicy, known: [PeripheralIdentity: KnownStrap], _ work: AsyncStream<Void>.Continuation,
    _ onCommit: @escaping @Sendable (CommitReport) -> Void, watch: LiveWatch? = nil,
    inbox: LiveInbox? = nil, onlyOf enrolled: [EnrolledMonitor]? = nil,
    save: @escaping @Sendable (SampleBatch) async throws -> SampleBatch.Outcome
  ) {
    self.save = save
    self.policy = policy
    self.work = work
    self.onCommit = onCommit
    self.watch = watch
    self.inbox = inbox
    accepted = enrolled.map { Set($0.map { .address($0.address) }) }
    intake = EventIntake(known: known)
  }

  /// Whether there is data to commit.
  var hasWork: Bool { writer.count > 0 || hasOwnWork || intake.hasUpdates }

  /// Whether a separate batch must be committed, such as a clock change. ``signal()`` does not wake the
  /// committing task for these.
  private var hasOwnWork: Bool { writer.hasEndedBatch || clockChanges.hasOccasion }

  private var heldBack: Int {
    sealing?.unsealed.measurements ?? writer.count + (refused?.count ?? 0) + underway
  }

  /// The maximum number of uncommitted samples. It is at least 1, because with 0, ``makeRoom()`` would wait
  /// forever.
  var largestHeldBack: Int { max(1, policy.heldBack) }

  // MARK: - Events of the central

  /// Records the setting of the wall clock at the start of the run, and uses it to correct times of earlier
  /// runs. Called before the first event.
  func begin(_ clock: ClockBeginning) {
    beginning = clock
    if let inbox, inbox.store == nil || inbox.sealed.exists {
      sealing = SealedCommits(beginning: clock)
      work.yield()
      return
    }
    intake.begin(clock)
    intake.drain(into: &writer)
    signal()
  }

  func receive(_ events: [CentralEvent]) async {
    let events = sealing == nil && accepted != nil ? events.filter { isAccepted($0, by: accepted) } : events
    var taken = 0
    while taken < events.count {
      if sealing != nil { return seal(events[taken...]) }
      // Take as many events as there is room for: most events make one sample.
      let room = max(1, largestHeldBack - heldBack)
      let end = min(events.count, taken + min(room, Self.largestBatch))
      intake.isShedding = heldBack >= largestHeldBack
      intake.isWatched = watch?.isWatched() ?? false
      let before = taken
      taken += intake.receive(events.span.extracting(taken..<end))
      if inbox != nil { retained += events[before..<taken] }
      if intake.isWatched { watch?.report(intake.drainReadings()) }
      intake.drain(into: &writer)
      signal()
      if isCommitting, intake.isWatched { watch?.count(summary, heldBack) }
      await makeRoom()
    }
  }

  private func seal(_ events: ArraySlice<CentralEvent>) {
    if watch?.isWatched() ?? false { watch?.report(sealing?.readings(of: events) ?? []) }
    sealing?.add(events, limit: largestHeldBack)
  }

  /// Adds what the store knows about straps, and the monitors that are enrolled now. A strap that was forgotten
  /// may still be known.
  func know(_ straps: [PeripheralIdentity: KnownStrap], enrolled: [EnrolledMonitor]) {
    intake.know(straps)
    accepted?.formUnion(enrolled.map { .address($0.address) })
  }

  /// Waits until fewer samples are uncommitted, which pauses reading from the central. Does not wait while
  /// commits fail, because live measurements would be lost.
  private func makeRoom() async {
    while failure == nil, writer.count >= min(Self.largestBatch, largestHeldBack), !Task.isCancelled {
      if await commit() != nil { work.yield() }
    }
  }

  /// Wakes the task that commits, once for each batch. Samples that arrive before the commit join the batch.
  func signal() {
    guard !hasSignalled, hasWork else { return }
    hasSignalled = true
    work.yield()
  }

  // MARK: - Commits

  /// Commits the pending data. If the store is inaccessible, the data is kept for the next attempt.
  ///
  /// - Returns: The delay before the next attempt; `nil` if there is nothing to commit until new data
  ///   arrives.
  func commit() async -> Duration? {
    while isCommitting { await withCheckedContinuation { waiting.append($0) } }
    if sealing != nil, let inbox { return await commitSealed(inbox) }
    // Whether to commit again without a delay. True after a rejected batch is retried, because newer data
    // waited behind it. Also true after a batch is discarded, because nothing else wakes this task for its
    // gaps.
    var isOverdue = refused != nil
    // Nothing wakes this task for data that follows a clock change, so commit that data without a delay too.
    let wasEnded = hasOwnWork
    guard let batch = drainBatch() else { return nil }
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
      hasCommitted = true
      clockChanges.noteOccasion()
      dropRetained(covered)
    } catch {
      if refuse(batch, error) { isOverdue = true }
      if inbox != nil, (error as? HKError)?.isOfLockedStore == true {
        sealing = SealedCommits(continuing: retained, since: hasCommitted ? nil : beginning)
        retained.removeAll()
      }
    }
    finishCommit(stored)
    if sealing != nil { return .zero }
    if refused != nil { return policy.delay(afterFailures: failures) }
    return (isOverdue && hasWork) || hasOwnWork || wasEnded ? .zero : nil
  }

  private func drainBatch() -> SampleBatch? {
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
    let batch = writer.drainBatch()
    covered = writer.count == 0 && !writer.hasEndedBatch ? retained.count : 0
    return batch
  }

  /// Removes the first `count` retained events, because their samples are committed. Keeps events of monitors
  /// whose description has not been read from the store yet, because these have no samples.
  func dropRetained(_ count: Int) {
    guard count > 0 else { return }
    let kept = retained.prefix(count).filter { event in
      if case .peripheral(let peripheral) = event.subject { intake.isWaiting(peripheral) } else { false }
    }
    retained.replaceSubrange(..<count, with: kept)
    covered = 0
  }

  /// Handles the error of a commit. A store that is inaccessible may become accessible again, so its batch is
  /// kept. A batch that the store will never accept is discarded, so that it does not block others.
  /// - Returns: Whether measurements were discarded and the gaps that replace them must be committed at once.
  ///   `false` if the batch had only gaps, because retrying these at once could repeat without end.
  func refuse(_ batch: SampleBatch, _ error: any Error) -> Bool {
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

  /// Handles the end of a commit: reports it, and wakes the callers that wait for it.
  /// - Parameter stored: The changes other than samples that the store has accepted.
  func finishCommit(_ stored: MonitorChangesRecord) {
    underway = 0
    isCommitting = false
    let resumed = waiting
    waiting.removeAll()
    for continuation in resumed { continuation.resume() }
    onCommit(
      CommitReport(
        tally: summary, heldBack: heldBack, failure: failure,
        gaps: stored.gaps.compactMap(MonitorGap.init), clockErrors: stored.clock?.errors ?? [],
        clockRefusal: clockChanges.drainUpdates(), isSealing: sealing != nil, inboxNotices: inboxNotices))
    inboxNotices.removeAll()
  }

  var summary: IngestionTally {
    var tally = intake.summary
    tally.refusedClockChanges = clockChanges.count
    sealing?.count(into: &tally)
    return tally
  }

  /// Whether a caller is waiting for the commit to end.
  var isAwaited: Bool { !waiting.isEmpty }

  /// Returns when the current commit has ended, successfully or not.
  func respondToProbe() async {
    if isCommitting { await withCheckedContinuation { waiting.append($0) } }
  }

  // MARK: - At the end

  /// Handles the end of the run: starts a gap for each connected monitor.
  func end(at time: ReceiptTime) {
    if sealing != nil {
      sealing?.end(at: time)
      return
    }
    intake.end((.gatewayStopped, time))
    intake.drain(into: &writer)
  }

  /// Ends the run, counting all data that is still uncommitted as lost.
  ///
  /// - Returns: The counts, and the lost measurements and gaps; `nil` if nothing was lost.
  func conclude() -> (IngestionTally, LostMeasurementsError?) {
    if let sealing {
      let lost = sealing.unsealed
      guard lost.records > 0 else { return (summary, nil) }
      let cause = sealing.failure ?? failure ?? CancellationError()
      self.sealing?.dropUnsealed()
      return (
        summary,
        LostMeasurementsError(count: lost.measurements, cause: cause, isEndLost: true, isClockLost: false)
      )
    }
    var left = [refused].compactMap(\.self)
    while let batch = writer.drainBatch() { left.append(batch) }
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
