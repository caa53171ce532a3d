import Bluetooth
import BluetoothCentral
import HealthKit

/// Gathers samples and commits them in batches: one transaction for all monitors, each monitor's under its own source.
///
/// A batch is saved in the hope that all of it is new, which costs nothing for a new recording. Only where the store
/// knows some of the samples already is it asked which, and the rest is saved.
struct SampleWriter {
  /// How many samples are gathered before they are committed.
  static let batchSize = 2000
  /// How long a sample waits for others, so that a slow source loses little with a killed process.
  static let patience = Duration.seconds(2)
  /// How many monitors' samples are prepared for; where there are more, all are prepared anew.
  private static let capacity = 1024

  fileprivate struct Queue {
    var samples: MonitorSamples
    var pending: [HKSample] = []
  }

  private typealias Group = (source: HKSource, samples: [HKSample])

  private let store: HKHealthStore?
  private var queues: [Queue] = []
  private var places: [PeripheralIdentity: Int] = [:]
  private var pendingCount = 0 {
    didSet { pendingSince = pendingCount == 0 ? nil : pendingSince ?? .now }
  }
  private var pendingSince: ContinuousClock.Instant?

  /// - Parameter store: `nil` counts what would be stored and stores nothing.
  init(store: HKHealthStore?) { self.store = store }

  /// It is time to commit: there are enough samples, or the first of them has waited long enough.
  var isBatchDue: Bool {
    pendingCount >= Self.batchSize || pendingSince.map { ContinuousClock.now - $0 >= Self.patience } ?? false
  }

  /// - Throws: Where the drafts cannot be made samples; the tally then counts them as ``Rejection/storeFailed``.
  mutating func add(
    _ drafts: [SampleDraft], of description: MonitorDescription, _ tally: inout IngestionTally
  ) throws {
    guard store != nil else { return Self.count(drafts, &tally) }
    do {
      let place = try place(of: description)
      try queues[place].append(drafts, of: description)
      pendingCount += drafts.count
    } catch {
      tally.rejected[.storeFailed, default: 0] += drafts.count { $0.isHeartRate }
      throw error
    }
  }

  private mutating func place(of description: MonitorDescription) throws -> Int {
    if let place = places[description.peripheral] { return place }
    queues.append(Queue(samples: try MonitorSamples(description)))
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

  /// Commits all that was gathered.
  ///
  /// - Throws: The store's error; the tally then counts what was not kept as ``Rejection/storeFailed``.
  mutating func flush(_ tally: inout IngestionTally) async throws {
    guard let store, pendingCount > 0 else { return }
    let groups: [Group] = queues.filter { !$0.pending.isEmpty }.map { ($0.samples.source, $0.pending) }
    emptyQueues()
    do {
      try await Self.save(groups, to: store, &tally)
    } catch {
      for group in groups {
        tally.rejected[.storeFailed, default: 0] += group.samples.count(where: \.isHeartRate)
      }
      throw error
    }
  }

  private mutating func emptyQueues() {
    pendingCount = 0
    if queues.count > Self.capacity {
      queues.removeAll()
      places.removeAll()
    } else {
      for place in queues.indices { queues[place].pending.removeAll(keepingCapacity: true) }
    }
  }

  private static func save(
    _ groups: [Group], to store: HKHealthStore, _ tally: inout IngestionTally
  ) async throws {
    do {
      count(groups, try await store.saveReporting(groups, with: MonitorChanges()), &tally)
    } catch let error as DuplicateObjects {
      var seen = try await store.storedUUIDs(among: error.uuids)
      let fresh: [Group] = groups.map { group in
        (group.source, group.samples.filter { seen.insert($0.uuid).inserted })
      }
      let outcome = try await store.saveReporting(fresh, with: MonitorChanges())
      for (group, rest) in zip(groups, fresh) {
        tally.duplicates +=
          group.samples.count(where: \.isHeartRate) - rest.samples.count(where: \.isHeartRate)
      }
      count(fresh, outcome, &tally)
    }
  }

  private static func count(_ groups: [Group], _ outcome: SaveOutcome, _ tally: inout IngestionTally) {
    // Samples of one type come in runs; the types are few, their names are long.
    var counts: [(type: HKSampleType, count: Int)] = []
    for group in groups {
      for sample in group.samples {
        if counts.last?.type !== sample.sampleType { counts.append((sample.sampleType, 0)) }
        counts[counts.count - 1].count += 1
      }
    }
    for (type, count) in counts { tally.stored[type.identifier, default: 0] += count }
    // Only series of beats carry a version, so what was ignored is one of them.
    if outcome.ignored > 0 {
      tally.stored[SampleTypes.beats, default: 0] -= outcome.ignored
      if tally.stored[SampleTypes.beats] == 0 { tally.stored[SampleTypes.beats] = nil }
    }
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

extension HKSample {
  fileprivate var isHeartRate: Bool { sampleType.identifier == SampleTypes.heartRate }
}

extension SampleDraft {
  fileprivate var isHeartRate: Bool { if case .heartRate = self { true } else { false } }
}
