import Bluetooth
import HealthStorage
import Ingestion

/// The inbox of a live run, and the store into which it is merged.
struct LiveInbox: Sendable {
  /// The store into which the inbox is merged after unlocking.
  struct Store: Sendable {
    /// Returns the enrolled monitors. Measurements of other monitors are counted and dropped.
    var enrolled: @Sendable () async throws -> Set<PeripheralIdentity>
    /// Returns which entries of an inbox an interrupted merge has already stored.
    var progress: @Sendable () async throws -> SealedInbox.Progress?
  }

  let sealed: SealedInbox
  /// Whether the run continues directly after the last record in the inbox, without a gap.
  var continuesRecording = false
  /// During a merge, samples are committed when there are at least this many.
  var mergedBatch = 50_000
  /// The store into which the inbox is merged; `nil` for a run that only writes the inbox.
  let store: Store?
}

/// The records that a live run writes to the inbox while its store is locked.
///
/// If the store is locked during the run, the run keeps its uncommitted samples and the state of its sessions
/// in memory, and continues with them after unlocking. The events of these samples are also written to the
/// inbox, in case the process ends before that.
struct SealedCommits {
  /// Maximum number of records in one entry of the inbox.
  private static let longestEntry = 20_000

  /// Records that are not in the inbox yet, but have already been converted to samples.
  private var processed: [SealedRecord] = []
  /// Later records that are not in the inbox yet. They are converted to samples when the inbox is merged.
  private var pending: [SealedRecord] = []
  /// The number of records in the entry that is being written to the inbox.
  private var writing = 0
  /// The straps whose measurements are currently dropped, because the limit of pending records is reached.
  private var shed: Set<PeripheralIdentity> = []
  private var preview = EventIntake()
  private var previewWriter = SampleWriter(storesNothing: true)

  /// Whether no entry of the inbox has been converted to samples yet. The first entries may be from earlier
  /// runs.
  var isFresh: Bool
  /// Whether the store was open earlier in this run, so that there may be an unfinished heartbeat series.
  let continuesRun: Bool
  /// The number of the last inbox entry that was converted to samples.
  var processedThrough: UInt64 = 0
  /// The number of the first inbox entry of this run; `nil` if there is no entry of this run yet.
  private(set) var firstOwn: UInt64?
  /// The number of measurements of this run that have not been converted to samples yet.
  private var unprocessed = 0
  /// The number of measurements of this run that were dropped.
  private var dropped = 0
  /// Whether the run has ended.
  private(set) var hasEnded = false
  /// The error of the last write to the inbox; `nil` if it succeeded.
  var failure: (any Error)?

  // MARK: - Reading the inbox

  /// While the inbox is read: whether a run has started in the records so far, but not ended.
  var isRunOpen = false
  /// The time of the last record that was read from the inbox.
  var lastTime: ReceiptTime?
  /// The number of the inbox entry up to which an interrupted merge stored the current heartbeat series; 0 if
  /// there is no such entry.
  var seriesEnd: UInt64 = 0

  /// Creates the records of a run that starts with a locked store, or with an inbox that is not merged yet.
  init(beginning: ClockBeginning) {
    isFresh = true
    continuesRun = false
    pending = [.began(beginning.setting, now: beginning.now, wall: beginning.wall)]
  }

  /// Creates the records of a run whose store was locked during the run.
  /// - Parameters:
  ///   - events: The events whose samples are not committed.
  ///   - beginning: The start of the run; `nil` if it was already committed.
  init(continuing events: [CentralEvent], since beginning: ClockBeginning?) {
    isFresh = false
    continuesRun = true
    let start = beginning.map { SealedRecord.began($0.setting, now: $0.now, wall: $0.wall) }
    processed = [start ?? .continued] + events.map(SealedRecord.event)
  }

  mutating func add(_ events: ArraySlice<CentralEvent>, limit: Int) {
    if pending.count < limit { shed.removeAll() }
    for event in events {
      let record = SealedRecord.event(event)
      guard pending.count >= limit, record.isMeasurement, case .peripheral(let peripheral) = event.subject
      else {
        pending.append(record)
        unprocessed += record.measurements
        continue
      }
      dropped += record.measurements
      if shed.insert(peripheral).inserted, let time = event.time {
        pending.append(.event(.gapBegan(peripheral, .storeUnavailable, time)))
      }
    }
  }

  /// Decodes events that are only written to the inbox, so that subscribers see their measurements
  /// immediately.
  mutating func readings(of events: ArraySlice<CentralEvent>) -> [StrapReading] {
    preview.isWatched = true
    let events = Array(events)
    var taken = 0
    while taken < events.count {
      taken += preview.receive(events.span.extracting(taken..<events.count))
      preview.drain(into: &previewWriter)
    }
    return preview.drainReadings()
  }

  mutating func end(at time: ReceiptTime) {
    pending.append(.ended(time))
    hasEnded = true
  }

  // MARK: - Sealing

  /// Returns the next entry for the inbox; `nil` if all records are written. Its records stay pending until
  /// ``wrote(_:)``.
  mutating func nextEntry() -> [UInt8]? {
    let records = processed.isEmpty ? pending : processed
    guard let first = records.first else { return nil }
    writing = 1
    // A clock change gets its own entry, because the store accepts or rejects it separately.
    if !first.isOfClock {
      let others = records.prefix(Self.longestEntry)
      writing = others.firstIndex(where: \.isOfClock) ?? others.count
    }
    return SealedRecords.encode(records.prefix(writing))
  }

  mutating func wrote(_ number: UInt64) {
    firstOwn = firstOwn ?? number
    failure = nil
    if processed.isEmpty {
      pending.removeFirst(writing)
    } else {
      processed.removeFirst(writing)
      processedThrough = number
    }
  }

  /// The number of records and measurements that are only in memory.
  var unsealed: (records: Int, measurements: Int) {
    (processed.count + pending.count, (processed + pending).reduce(0) { $0 + $1.measurements })
  }

  /// Discards the records that are only in memory, at the end of a run, and counts their measurements as
  /// dropped.
  mutating func dropUnsealed() {
    let lost = unsealed.measurements
    dropped += lost
    unprocessed -= min(unprocessed, pending.reduce(0) { $0 + $1.measurements })
    processed.removeAll()
    pending.removeAll()
  }

  /// Removes and returns the records that are neither written to the inbox nor converted to samples.
  mutating func drainPending() -> [SealedRecord] {
    defer { pending.removeAll() }
    return pending
  }

  // MARK: - Counting

  mutating func recordProcessed(_ measurements: Int) { unprocessed -= min(unprocessed, measurements) }

  func count(into tally: inout IngestionTally) {
    tally.measurements += unprocessed + dropped
    if dropped > 0 { tally.rejected[.storeFailed, default: 0] += dropped }
    let rejected = tally.rejected.values.reduce(0, +)
    tally.sealed = max(0, tally.measurements - tally.storedMeasurements - tally.duplicates - rejected)
  }
}
