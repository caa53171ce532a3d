import Bluetooth
import HealthKit
import HealthStorage
import Ingestion

/// Recording into the inbox while the store is locked, and merging the inbox into the store after unlocking.
extension LiveIngestion {
  /// Encrypts pending events and appends them to the inbox. If the store is unlocked, merges the inbox into
  /// it and removes the inbox.
  /// - Returns: The delay before the next attempt; `nil` if there is nothing to commit until new data
  ///   arrives.
  func commitSealed(_ inbox: LiveInbox) async -> Duration? {
    isCommitting = true
    await seal(inbox.sealed)
    var delay: Duration? = max(policy.commitInterval, policy.firstRetry)
    var changes = MonitorChangesRecord()
    if !inbox.sealed.isLocked, let store = inbox.store {
      do {
        try await merge(inbox.sealed, into: store, by: inbox.mergedBatch, &changes)
        delay = hasWork ? .zero : nil
      } catch {
        if (error as? HKError)?.isOfLockedStore != true, error as? StorageError != .locked {
          failure = error
          failures += 1
          delay = policy.delay(afterFailures: failures)
        }
      }
    }
    if let sealing {
      if inbox.sealed.isLocked { failure = Self.lockedError(sealing.failure) }
      if sealing.hasEnded, sealing.unsealed.records == 0, inbox.sealed.isLocked || inbox.store == nil {
        delay = nil
      }
    }
    inboxNotices += inbox.sealed.drainNotices()
    finishCommit(changes)
    return delay
  }

  /// Whether all received events have been written to the inbox.
  var isSealed: Bool { sealing?.unsealed.records == 0 }

  private static func lockedError(_ failure: (any Error)?) -> HKError {
    let reason =
      if let failure {
        "the store is locked, and its inbox cannot be written (\(failure)); measurements are kept in memory; "
          + "unlock it with `hrgate store unlock`"
      } else {
        "the store is locked; measurements are recorded in an encrypted file beside it, and stored after "
          + "`hrgate store unlock`"
      }
    return HKError(.errorDatabaseInaccessible, reason: reason)
  }

  private func seal(_ inbox: SealedInbox) async {
    while let body = sealing?.nextEntry() {
      do {
        // Writing waits for the disk, so it runs on its own thread.
        let number = try await blocking { try inbox.append(body) }
        sealing?.wrote(number)
      } catch {
        sealing?.failure = error
        return
      }
    }
  }

  // MARK: - Merging

  /// Processes all entries of the inbox like live events, commits their samples to the store, and removes the
  /// inbox. From then on, measurements are committed to the store directly.
  ///
  /// Each commit includes the number of the last entry that it contains, in the same transaction. If the
  /// process ends during a merge, the next merge processes the entries up to that number without storing
  /// their samples again.
  private func merge(
    _ inbox: SealedInbox, into store: LiveInbox.Store, by mergedBatch: Int,
    _ changes: inout MonitorChangesRecord
  ) async throws {
    let enrolled = try await store.enrolled()
    guard var reader = try reader(of: inbox) else {
      // There is no inbox, so all events are in memory.
      try await commitMerged(nil, &changes)
      return finishSealing()
    }
    var silentThrough: UInt64 = 0
    if sealing?.isFresh ?? false {
      let progress = try await store.progress()
      if let progress, progress.inbox == reader.inbox {
        silentThrough = progress.sequence
        sealing?.seriesEnd = progress.seriesEnd
      }
    } else if let through = sealing?.processedThrough, through > 0 {
      try await commitMerged(progress(reader.inbox), &changes)
    }
    var keepsFile = false
    var hasEntries = false
    while let element = try reader.next() {
      switch element {
      case .missing(let range):
        guard range.upperBound > sealing?.processedThrough ?? 0 else { continue }
        if range.upperBound > silentThrough { endSilence() }
        loseEntries(through: range.upperBound)
      case .entry(let number, let body):
        hasEntries = true
        guard number > sealing?.processedThrough ?? 0 else { continue }
        let records: [SealedRecord]
        do throws(SealedRecordsError) {
          records = try SealedRecords.decode(body)
        } catch {
          keepsFile = true
          inboxNotices.append(error.description)
          loseEntries(through: number)
          continue
        }
        if number <= silentThrough {
          processSilently(records, number, enrolled)
          continue
        }
        endSilence()
        let isOfClock = records.contains(where: \.isOfClock)
        if isOfClock { try await commitMerged(progress(reader.inbox), &changes) }
        process(records, number, enrolled)
        if isOfClock || writer.count >= mergedBatch {
          try await commitMerged(progress(reader.inbox), &changes)
        }
      }
    }
    endSilence()
    intake.drainUpdates(into: &writer)
    intake.drainOpenSeries(into: &writer)
    try await commitMerged(progress(reader.inbox), &changes)
    inboxNotices += reader.findings.map { "\($0.description)" }
    if keepsFile || !hasEntries && !reader.findings.isEmpty {
      inboxNotices.append("the inbox is kept as \(try inbox.setAside())")
    } else {
      try inbox.remove()
    }
    finishSealing()
  }

  /// Opens the inbox for reading. An unreadable inbox is renamed and kept.
  /// - Returns: `nil` if there is no inbox, or if it cannot be read.
  private func reader(of inbox: SealedInbox) throws -> InboxReader? {
    do {
      return try inbox.reader()
    } catch StorageError.encryption(let reason) {
      inboxNotices.append("\(reason). It is kept as \(try inbox.setAside())")
      return nil
    }
  }

  private func progress(_ inbox: [UInt8]) -> SealedInbox.Progress {
    if let sealing, sealing.continuesRun {
      // Store the unfinished heartbeat series with each commit, as in a run with an unlocked store.
      if !writer.hasEndedBatch { intake.drainOpenSeries(into: &writer) }
      self.sealing?.seriesEnd = sealing.processedThrough
    }
    return SealedInbox.Progress(
      inbox: inbox, sequence: sealing?.processedThrough ?? 0, seriesEnd: sealing?.seriesEnd ?? 0)
  }

  /// Commits all samples collected so far.
  /// - Throws: The store's error if the batch must be retried later.
  private func commitMerged(
    _ progress: SealedInbox.Progress?, _ changes: inout MonitorChangesRecord
  ) async throws {
    while var batch = drainMergedBatch() {
      let isLast = refused == nil && writer.count == 0 && !writer.hasEndedBatch
      if isLast, let progress { batch.changes.inbox = progress }
      let covered = isLast ? retained.count : 0
      do {
        let outcome = try await save(batch)
        intake.tally.add(outcome)
        intake.endDeletedSeries(outcome.deletedSeries)
        changes.gaps += batch.changes.gaps
        (failure, failures) = (nil, 0)
        dropRetained(covered)
      } catch {
        _ = refuse(batch, error)
        if refused != nil { throw error }
      }
    }
  }

  private func drainMergedBatch() -> SampleBatch? {
    if let refused {
      self.refused = nil
      return refused
    }
    return writer.drainBatch()
  }

  // MARK: - Records

  /// Processes records whose samples an interrupted merge has already stored. This restores the state of each
  /// monitor's session without storing the samples again.
  private func processSilently(
    _ records: [SealedRecord], _ number: UInt64, _ enrolled: Set<PeripheralIdentity>
  ) {
    var ignored = SampleWriter(storesNothing: true)
    for record in records {
      switch record {
      case .event(let event):
        if let time = event.time { sealing?.lastTime = time }
        guard isEnrolled(event, enrolled) else { continue }
        _ = intake.receive([event].span)
      case .began(_, let now, _):
        if sealing?.isRunOpen ?? false { intake.endKilledRun(at: sealing?.lastTime ?? now) }
        sealing?.isRunOpen = true
      case .continued:
        intake.resumeRun()
        sealing?.isRunOpen = true
      case .ended(let time):
        intake.end((.gatewayStopped, time))
        sealing?.isRunOpen = false
      }
    }
    if number == sealing?.seriesEnd { intake.endSegments() }
    intake.drain(into: &ignored)
    intake.drainUpdates(into: &ignored)
    sealing?.processedThrough = number
  }

  /// Called before the first entry that is not in the store yet. Discards the counts of the earlier entries,
  /// which an interrupted merge has already stored.
  private func endSilence() {
    guard sealing?.isFresh ?? false else { return }
    sealing?.isFresh = false
    _ = intake.drainSummary()
    intake.clockHistory = beginning?.history
  }

  private func process(_ records: [SealedRecord], _ number: UInt64, _ enrolled: Set<PeripheralIdentity>) {
    let isOwn = sealing?.firstOwn.map { number >= $0 } ?? false
    process(records, isOwn ? accepted : enrolled, isOwn: isOwn)
    if isOwn { sealing?.recordProcessed(records.reduce(0) { $0 + $1.measurements }) }
    sealing?.processedThrough = number
  }

  /// Processes records of the inbox like live events.
  /// - Parameters:
  ///   - enrolled: The monitors whose events are processed; `nil` for all.
  ///   - isOwn: Whether this run has recorded them.
  private func process(_ records: [SealedRecord], _ enrolled: Set<PeripheralIdentity>?, isOwn: Bool) {
    var events: [CentralEvent] = []
    events.reserveCapacity(records.count)
    for record in records {
      guard case .event(let event) = record else {
        process(events)
        events.removeAll()
        processChange(record, isOwn: isOwn)
        continue
      }
      if isAccepted(event, by: enrolled) { events.append(event) }
    }
    process(events)
  }

  /// Returns whether an event belongs to one of these monitors. If not, counts its measurements as rejected.
  func isAccepted(_ event: CentralEvent, by enrolled: Set<PeripheralIdentity>?) -> Bool {
    guard let enrolled, !isEnrolled(event, enrolled) else { return true }
    let measurements = SealedRecord.event(event).measurements
    intake.tally.measurements += measurements
    if measurements > 0 { intake.tally.rejected[.notEnrolled, default: 0] += measurements }
    return false
  }

  private func process(_ events: [CentralEvent]) {
    intake.isShedding = false
    intake.isWatched = false
    var taken = 0
    while taken < events.count {
      taken += intake.receive(events.span.extracting(taken..<events.count))
      intake.drain(into: &writer)
    }
    retained += events
    if let last = events.last(where: { $0.time != nil }) { sealing?.lastTime = last.time }
  }

  /// Processes a record of the start, continuation or end of a run.
  private func processChange(_ record: SealedRecord, isOwn: Bool) {
    switch record {
    case .event: break
    case .began(let setting, let now, let wall):
      let isContinued = isOwn && inbox?.continuesRecording == true
      if sealing?.isRunOpen ?? false, !isContinued { intake.endKilledRun(at: sealing?.lastTime ?? now) }
      sealing?.isRunOpen = true
      intake.drain(into: &writer)
      intake.begin(
        ClockBeginning(
          history: intake.clockHistory ?? beginning?.history ?? ClockHistory(), setting: setting, now: now,
          wall: wall,
          latest: [beginning?.latest, sealing?.lastTime].compactMap(\.self).max()))
      sealing?.lastTime = now
    case .continued:
      intake.resumeRun()
      sealing?.isRunOpen = true
    case .ended(let time):
      intake.end((.gatewayStopped, time))
      sealing?.isRunOpen = false
    }
    intake.drain(into: &writer)
  }

  private func loseEntries(through number: UInt64) {
    if let time = sealing?.lastTime ?? beginning?.now { intake.loseSealed(at: time) }
    intake.drain(into: &writer)
    sealing?.processedThrough = number
  }

  private func isEnrolled(_ event: CentralEvent, _ enrolled: Set<PeripheralIdentity>) -> Bool {
    if case .peripheral(let peripheral) = event.subject { enrolled.contains(peripheral) } else { true }
  }

  /// Ends recording into the inbox. From now on, measurements are committed to the store.
  private func finishSealing() {
    // Events that arrived during the merge and are only in memory.
    let rest = sealing?.drainPending() ?? []
    sealing = nil
    (failure, failures) = (nil, 0)
    process(rest, accepted, isOwn: true)
    signal()
  }
}
