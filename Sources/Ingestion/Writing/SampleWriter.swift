import Bluetooth
import BluetoothCentral
import HealthKit

/// Makes samples of drafts and gathers them, with the gaps between them, until they are committed: one transaction for all
/// monitors, each monitor's samples under its own source.
struct SampleWriter {
  /// How many samples are gathered before they are committed.
  static let batchSize = 2000
  /// How long a sample waits for others, so that a slow source loses little with a killed process.
  static let patience = Duration.seconds(2)
  /// How many monitors' samples are prepared for; where there are more, all are prepared anew.
  private static let capacity = 1024

  fileprivate struct Queue {
    var samples: MonitorSamples
    let monitor: MonitorAddress?
    var pending: [HKSample] = []
  }

  private let storesNothing: Bool
  private var queues: [Queue] = []
  private var places: [PeripheralIdentity: Int] = [:]
  private var gaps: [MonitorGapEntry] = []
  private var statuses: [MonitorStatus] = []
  /// Samples and gaps that wait to be committed.
  private(set) var count = 0 {
    didSet { pendingSince = count == 0 ? nil : pendingSince ?? .now }
  }
  private var pendingSince: ContinuousClock.Instant?

  /// - Parameter storesNothing: Count what would be stored.
  init(storesNothing: Bool) { self.storesNothing = storesNothing }

  /// It is time to commit: there are enough samples, or the first of them has waited long enough.
  var isBatchDue: Bool {
    count >= Self.batchSize || pendingSince.map { ContinuousClock.now - $0 >= Self.patience } ?? false
  }

  /// - Throws: Where the drafts cannot be made samples; the tally then counts them as ``Rejection/storeFailed``.
  mutating func add(
    _ drafts: [SampleDraft], _ gaps: [GapDraft], of description: MonitorDescription,
    _ tally: inout IngestionTally
  ) throws {
    guard !storesNothing else { return Self.count(drafts, &tally) }
    if !gaps.isEmpty { add(gaps, of: description.peripheral) }
    guard !drafts.isEmpty else { return }
    do {
      let place = try place(of: description)
      try queues[place].append(drafts, of: description)
      count += drafts.count
    } catch {
      tally.rejected[.storeFailed, default: 0] += drafts.count { $0.isHeartRate }
      throw error
    }
  }

  /// Gaps in a link whose strap is not known are nobody's, and not kept.
  private mutating func add(_ gaps: [GapDraft], of peripheral: PeripheralIdentity) {
    guard case .address(let address) = peripheral else { return }
    self.gaps += gaps.map { gap in
      MonitorGap(monitor: address, start: gap.start, end: gap.end, cause: gap.cause, lost: gap.lost).entry
    }
    count += gaps.count
  }

  /// Keeps gaps that are known as they are stored.
  mutating func add(_ gaps: [MonitorGapEntry]) {
    self.gaps += gaps
    count += gaps.count
  }

  mutating func add(_ news: StrapNews, of description: MonitorDescription) {
    guard case .address(let address) = description.peripheral, !storesNothing else { return }
    var status = MonitorStatus(address: MonitorAddress(address))
    if news.isDescribed { status.details = description.details }
    status.battery = news.battery.map(Int.init)
    status.lastSeen = news.lastSeen?.microsecondsSince1970
    status.lastMeasurement = news.lastMeasurement?.microsecondsSince1970
    statuses.append(status)
  }

  private mutating func place(of description: MonitorDescription) throws -> Int {
    if let place = places[description.peripheral] { return place }
    var monitor: MonitorAddress?
    if case .address(let address) = description.peripheral { monitor = MonitorAddress(address) }
    queues.append(Queue(samples: try MonitorSamples(description), monitor: monitor))
    places[description.peripheral] = queues.count - 1
    return queues.count - 1
  }

  private static func count(_ drafts: [SampleDraft], _ tally: inout IngestionTally) {
    var heartRates = 0
    for draft in drafts {
      switch draft {
      case .heartRate: heartRates += 1
      case .energy: tally.stored[SampleTypes.energy, default: 0] += 1
      case .beats: tally.stored[SampleTypes.beats, default: 0] += 1
      }
    }
    if heartRates > 0 { tally.stored[SampleTypes.heartRate, default: 0] += heartRates }
  }

  /// Hands over all that was gathered; `nil` where that is nothing.
  mutating func takeBatch() -> SampleBatch? {
    guard count > 0 || !statuses.isEmpty else { return nil }
    let batch = SampleBatch(
      groups: queues.filter { !$0.pending.isEmpty }.map { ($0.samples.source, $0.monitor, $0.pending) },
      changes: MonitorChanges(gaps: gaps, statuses: statuses))
    count = 0
    gaps.removeAll()
    statuses.removeAll()
    if queues.count > Self.capacity {
      queues.removeAll()
      places.removeAll()
    } else {
      for place in queues.indices { queues[place].pending.removeAll(keepingCapacity: true) }
    }
    return batch
  }
}

extension SampleWriter.Queue {
  /// - Throws: Where a draft cannot be made a sample; then none of them is pending.
  fileprivate mutating func append(_ drafts: [SampleDraft], of description: MonitorDescription) throws {
    // More may be known of the monitor now; what is pending keeps what was known when it was measured.
    if samples.revision != description.revision { samples = try MonitorSamples(description) }
    let count = pending.count
    do {
      for draft in drafts { pending.append(try samples.sample(draft)) }
    } catch {
      pending.removeLast(pending.count - count)
      throw error
    }
  }
}

extension SampleDraft {
  fileprivate var isHeartRate: Bool { if case .heartRate = self { true } else { false } }
}
