import Bluetooth
import HealthStorage
import Ingestion

/// The inbox of the store of a live run.
struct LiveInbox: Sendable {
  /// The store into which the inbox is merged after unlocking.
  struct Store: Sendable {
    /// Returns the enrolled monitors. Measurements of others are counted and dropped.
    var enrolled: @Sendable () async throws -> Set<PeripheralIdentity>
    /// Returns how far an inbox was merged.
    var progress: @Sendable () async throws -> SealedInbox.Progress?
  }

  let sealed: SealedInbox
  /// Whether nothing is missing between the last record in the inbox and the run.
  var continuesRecording = false
  /// Number of samples from which a merge commits.
  var mergedBatch = 50_000
  /// `nil` for a run that only records.
  let store: Store?
}

/// What a live run records in the inbox while its store is locked.
///
/// The run keeps the samples that the store refused, and its sessions, in memory, so that it can go on
/// without an interruption after unlocking. The events of these samples are in the inbox too, in case the run
/// ends before that.
struct SealedCommits {
  /// Maximum number of records in an entry.
  private static let longestEntry = 20_000

  /// Records that the intake has processed, and that are not sealed yet.
  private var processed: [SealedRecord] = []
  /// Later records that are not sealed yet. The intake gets them when the inbox is merged.
  private var pending: [SealedRecord] = []
  /// The number of pending records in the entry that is being written.
  private var writing = 0
  /// The straps whose measurements are dropped now, because memory is full.
  private var shed: Set<PeripheralIdentity> = []
  private var preview = EventIntake()
  private var previewWriter = SampleWriter(storesNothing: true)

  /// Whether the intake has processed nothing of the inbox, and the inbox may have entries of earlier runs.
  var isFresh: Bool
  /// Whether the intake and its series in progress are those of a run that had the store.
  let continuesRun: Bool
  /// The last entry that the intake has processed.
  var processedThrough: UInt64 = 0
  /// The first entry of this run.
  private(set) var firstOwn: UInt64?
  /// Measurements of this run that the intake has not processed.
  private var unprocessed = 0
  /// Measurements of this run that were dropped.
  private var dropped = 0
  /// Whether the run has ended.
  private(set) var hasEnded = false
  /// Why the inbox cannot be written.
  var failure: (any Error)?

  // MARK: - Reading the inbox

  /// Whether the last run in the inbox has no end so far.
  var isRunOpen = false
  /// The time of the last record that was read.
  var lastTime: ReceiptTime?
  /// Where an interrupted merge has ended the heartbeat series.
  var seriesEnd: UInt64 = 0

  /// Starts with a run whose store cannot be used yet.
  init(beginning: ClockBeginning) {
    isFresh = true
    continuesRun = false
    pending = [.began(beginning.setting, now: beginning.now, wall: beginning.wall)]
  }

  /// Continues a run whose store was locked.
  /// - Parameters:
  ///   - events: The events whose samples are not stored.
  ///   - beginning: The start of the run, if it is not stored either.
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

  /// Returns what watchers get of events that are only recorded.
  mutating func readings(of events: ArraySlice<CentralEvent>) -> [StrapReading] {
    preview.isWatched = true
    let events = Array(events)
    var taken = 0
    while taken < events.count {
      taken += preview.receive(events.span.extracting(taken..<events.count))
      preview.drain(into: &previewWriter)
    }
    return preview.takeReadings()
  }

  mutating func end(at time: ReceiptTime) {
    pending.append(.ended(time))
    hasEnded = true
  }

  // MARK: - Sealing

  /// Returns the next entry to write. It stays pending until ``wrote(_:)``.
  mutating func nextEntry() -> [UInt8]? {
    let records = processed.isEmpty ? pending : processed
    guard let first = records.first else { return nil }
    writing = 1
    // A change of the clock is an entry of its own, because the store accepts or refuses it on its own.
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

  /// What is only in memory.
  var unsealed: (records: Int, measurements: Int) {
    (processed.count + pending.count, (processed + pending).reduce(0) { $0 + $1.measurements })
  }

  /// Gives up what is only in memory, at the end of a run.
  mutating func dropUnsealed() {
    let lost = unsealed.measurements
    dropped += lost
    unprocessed -= min(unprocessed, pending.reduce(0) { $0 + $1.measurements })
    processed.removeAll()
    pending.removeAll()
  }

  /// Returns the records that the intake has not processed and that are not sealed.
  mutating func takePending() -> [SealedRecord] {
    defer { pending.removeAll() }
    return pending
  }

  // MARK: - Counting

  mutating func noteProcessed(_ measurements: Int) { unprocessed -= min(unprocessed, measurements) }

  func count(into tally: inout IngestionTally) {
    tally.measurements += unprocessed + dropped
    if dropped > 0 { tally.rejected[.storeFailed, default: 0] += dropped }
    let rejected = tally.rejected.values.reduce(0, +)
    tally.sealed = max(0, tally.measurements - tally.storedMeasurements - tally.duplicates - rejected)
  }
}
