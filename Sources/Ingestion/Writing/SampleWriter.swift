package import Bluetooth
import HealthKit
package import HealthStorage

/// Converts sample drafts to samples and holds them, with the gaps, until they are committed. A single
/// transaction saves the samples of all monitors.
package struct SampleWriter {
  /// If there are more monitors than this, the state kept for each monitor from one commit to the next is
  /// dropped after a commit.
  private static let capacity = 1024

  fileprivate struct Queue {
    var samples: MonitorSamples
    let monitor: AddressRecord?
    /// Samples from before the monitor's description changed.
    var past: [SampleBatch.Group] = []
  }

  private let storesNothing: Bool
  private let earlierUntil: ReceiptTime?
  private let isLive: Bool
  private var queues: [Queue] = []
  private var places: [PeripheralIdentity: Int] = [:]
  private var openSeries: [OpenSeriesRecord] = []
  private var gaps: [MonitorGapRecord] = []
  private var statuses: [MonitorStatusRecord] = []
  /// Batches that ended at a change of the wall clock, each followed by a batch with that change. They are
  /// committed before later samples.
  private var ended: [SampleBatch] = []
  /// The number of uncommitted samples and gaps that are not in ``ended``.
  private var gathered = 0

  /// The number of uncommitted samples and gaps.
  package var count: Int { ended.reduce(gathered) { $0 + $1.count } }

  /// Whether a batch ended at a change of the wall clock, so that it should be committed at once.
  package var hasEndedBatch: Bool { !ended.isEmpty }

  /// - Parameters:
  ///   - storesNothing: Whether to count samples without storing them.
  ///   - earlierUntil: The last time for which the store may contain these samples with UUIDs of earlier
  ///     versions; `nil` for live measurements, which are always new.
  ///   - isLive: Whether heartbeat series are stored while they are being measured.
  package init(storesNothing: Bool, earlierUntil: ReceiptTime? = nil, isLive: Bool = false) {
    self.storesNothing = storesNothing
    self.earlierUntil = earlierUntil
    self.isLive = isLive
  }

  /// - Throws: An error if the sample drafts cannot be converted to samples. They then count as
  ///   ``Rejection/storeFailed``.
  mutating func add(
    _ drafts: [SampleDraft], _ gaps: [GapDraft], of description: MonitorDescription,
    _ tally: inout IngestionTally
  ) throws {
    guard !storesNothing else { return Self.count(drafts, &tally) }
    if !gaps.isEmpty { add(gaps, of: description.peripheral) }
    guard !drafts.isEmpty else { return }
    do {
      let place = try place(of: description)
      try queues[place].append(drafts, of: description, earlierUntil: earlierUntil, isLive: isLive)
      gathered += drafts.count
    } catch {
      tally.rejected[.storeFailed, default: 0] += drafts.count { $0.isHeartRate }
      throw error
    }
  }

  /// Adds an unfinished heartbeat series. Skips it if the monitor's samples cannot be created, because that
  /// error was already reported.
  mutating func add(open segment: BeatSegment, of description: MonitorDescription) {
    guard !storesNothing, let place = try? place(of: description) else { return }
    openSeries.append(queues[place].samples.open(segment))
  }

  /// Adds the gaps of a monitor. Does nothing if the monitor's address is unknown.
  mutating func add(_ gaps: [GapDraft], of peripheral: PeripheralIdentity) {
    guard case .address(let address) = peripheral else { return }
    add(MonitorChangesRecord(gaps: gaps.map { MonitorGapRecord($0, of: address) }))
  }

  /// Adds gaps and status changes in their stored form.
  package mutating func add(_ changes: MonitorChangesRecord) {
    gaps += changes.gaps
    statuses += changes.statuses
    gathered += changes.gaps.count
  }

  mutating func add(_ updates: StrapUpdates, of description: MonitorDescription) {
    guard case .address(let address) = description.peripheral, !storesNothing else { return }
    var status = MonitorStatusRecord(address: AddressRecord(address))
    if updates.isDescribed { status.description = description.record }
    status.battery = updates.battery.map(Int.init)
    status.lastSeen = updates.lastSeen?.microsecondsSince1970
    status.lastMeasurement = updates.lastMeasurement?.microsecondsSince1970
    statuses.append(status)
  }

  private mutating func place(of description: MonitorDescription) throws -> Int {
    if let place = places[description.peripheral] { return place }
    var monitor: AddressRecord?
    if case .address(let address) = description.peripheral { monitor = AddressRecord(address) }
    let samples = try MonitorSamples(description, earlierUntil: earlierUntil, isLive: isLive)
    queues.append(Queue(samples: samples, monitor: monitor))
    places[description.peripheral] = queues.count - 1
    return queues.count - 1
  }

  private static func count(_ drafts: [SampleDraft], _ tally: inout IngestionTally) {
    var heartRates = 0
    for draft in drafts {
      switch draft {
      case .heartRate: heartRates += 1
      case .quantity(let draft, _):
        guard let type = SampleIdentity.Kind.quantities[draft.kind]?.type else { break }
        tally.stored[type.identifier, default: 0] += 1
      case .beats: tally.stored[SampleTypes.beats, default: 0] += 1
      }
    }
    if heartRates > 0 { tally.stored[SampleTypes.heartRate, default: 0] += heartRates }
  }

  /// Ends the current batch because the wall clock was changed. The change is committed separately, so that
  /// no sample is lost if the store rejects it.
  mutating func endBatch(with changes: ClockChangesRecord) {
    guard !storesNothing else { return }
    if let batch = drainGathered() { ended.append(batch) }
    ended.append(SampleBatch(groups: [], changes: MonitorChangesRecord(clock: changes)))
  }

  /// Returns the next batch to commit; `nil` if everything is committed.
  package mutating func drainBatch() -> SampleBatch? {
    ended.isEmpty ? drainGathered() : ended.removeFirst()
  }

  private mutating func drainGathered() -> SampleBatch? {
    guard gathered > 0 || !statuses.isEmpty || !openSeries.isEmpty else { return nil }
    var groups: [SampleBatch.Group] = []
    for place in queues.indices { groups += queues[place].take() }
    let batch = SampleBatch(
      groups: groups, openSeries: openSeries, changes: MonitorChangesRecord(gaps: gaps, statuses: statuses))
    gathered = 0
    openSeries.removeAll()
    gaps.removeAll()
    statuses.removeAll()
    // Right after a batch was taken, no monitor has uncommitted samples.
    if queues.count > Self.capacity {
      queues.removeAll()
      places.removeAll()
    }
    return batch
  }
}

extension SampleWriter.Queue {
  /// - Throws: An error if a sample draft cannot be converted to a sample. In that case, none of the drafts
  ///   is appended.
  fileprivate mutating func append(
    _ drafts: [SampleDraft], of description: MonitorDescription, earlierUntil: ReceiptTime?, isLive: Bool
  ) throws {
    // After a change of the description, earlier samples keep the description that was known when they were
    // measured.
    if samples.revision != description.revision {
      let next = try MonitorSamples(
        description, after: samples, earlierUntil: earlierUntil, isLive: isLive)
      past += drainPending()
      samples = next
    }
    try samples.append(drafts)
  }

  fileprivate mutating func take() -> [SampleBatch.Group] {
    defer { past.removeAll() }
    return past + drainPending()
  }

  private mutating func drainPending() -> [SampleBatch.Group] {
    let (measured, series) = samples.take()
    guard !measured.isEmpty || !series.isEmpty else { return [] }
    return [
      SampleBatch.Group(source: samples.source, monitor: monitor, measured: measured, series: series)
    ]
  }
}

extension SampleDraft {
  fileprivate var isHeartRate: Bool { if case .heartRate = self { true } else { false } }
}
