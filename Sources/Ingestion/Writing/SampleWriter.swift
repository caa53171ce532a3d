import Bluetooth
import BluetoothCentral
import HealthKit

/// Gathers samples and commits them in batches, each monitor's under its own source.
///
/// A batch is saved in the hope that all of it is new, which costs nothing for a new recording. Only where the store
/// knows some of the samples already is it asked which, and the rest is saved.
struct SampleWriter {
  /// How many samples are gathered before they are committed.
  static let batchSize = 1000

  private struct Queue {
    var samples: MonitorSamples
    var store: HKHealthStore
    var pending: [HKSample] = []

    /// More is known of the monitor; what is pending keeps what was known when it was measured.
    mutating func describe(_ description: MonitorDescription, _ store: HKHealthStore) throws {
      samples = try MonitorSamples(description)
      self.store = store.acting(as: samples.source)
    }
  }

  private let store: HKHealthStore?
  private var queues: [PeripheralIdentity: Queue] = [:]
  /// The monitors in the order in which they came, which is the order of their batches.
  private var order: [PeripheralIdentity] = []
  private var pendingCount = 0

  /// - Parameter store: `nil` counts what would be stored and stores nothing.
  init(store: HKHealthStore?) { self.store = store }

  var isBatchFull: Bool { pendingCount >= Self.batchSize }

  /// - Throws: Where the drafts cannot be made samples; the tally then counts them as ``Rejection/storeFailed``.
  mutating func add(
    _ drafts: [SampleDraft], of description: MonitorDescription, _ tally: inout IngestionTally
  ) throws {
    guard let store else { return Self.count(drafts, &tally) }
    do {
      try append(drafts, of: description, store)
      pendingCount += drafts.count
    } catch {
      tally.rejected[.storeFailed, default: 0] += drafts.count { $0.isHeartRate }
      throw error
    }
  }

  private mutating func append(
    _ drafts: [SampleDraft], of description: MonitorDescription, _ store: HKHealthStore
  ) throws {
    var queue = try queues[description.peripheral] ?? newQueue(description, store)
    // The table lets go of the queue, so that it grows in place.
    queues[description.peripheral] = nil
    defer { queues[description.peripheral] = queue }
    if queue.samples.revision != description.revision { try queue.describe(description, store) }
    let count = queue.pending.count
    queue.pending.reserveCapacity(Self.batchSize)
    do {
      for draft in drafts { queue.pending.append(try queue.samples.sample(draft)) }
    } catch {
      queue.pending.removeLast(queue.pending.count - count)
      throw error
    }
  }

  private mutating func newQueue(
    _ description: MonitorDescription, _ store: HKHealthStore
  ) throws -> Queue {
    let samples = try MonitorSamples(description)
    order.append(description.peripheral)
    return Queue(samples: samples, store: store.acting(as: samples.source))
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
    pendingCount = 0
    for (place, peripheral) in order.enumerated() {
      guard let queue = queues[peripheral], !queue.pending.isEmpty else { continue }
      queues[peripheral]?.pending = []
      do {
        try await save(queue.pending, to: queue.store, &tally)
      } catch {
        count(failed: queue.pending, &tally)
        for other in order[(place + 1)...] {
          count(failed: queues[other]?.pending ?? [], &tally)
          queues[other]?.pending = []
        }
        throw error
      }
    }
  }

  private func save(
    _ samples: [HKSample], to store: HKHealthStore, _ tally: inout IngestionTally
  ) async throws {
    do {
      count(samples, try await store.saveReporting(samples), &tally)
    } catch let error as DuplicateObjects {
      let stored = try await store.storedUUIDs(among: error.uuids)
      var seen = stored
      let fresh = samples.filter { seen.insert($0.uuid).inserted }
      tally.duplicates += samples.count { $0.isHeartRate } - fresh.count { $0.isHeartRate }
      guard !fresh.isEmpty else { return }
      count(fresh, try await store.saveReporting(fresh), &tally)
    }
  }

  private func count(_ samples: [HKSample], _ outcome: SaveOutcome, _ tally: inout IngestionTally) {
    for sample in samples { tally.stored[sample.sampleType.identifier, default: 0] += 1 }
    // Only series of beats carry a version, so what was ignored is one of them.
    if outcome.ignored > 0 {
      tally.stored[SampleTypes.beats, default: 0] -= outcome.ignored
      if tally.stored[SampleTypes.beats] == 0 { tally.stored[SampleTypes.beats] = nil }
    }
  }

  private func count(failed samples: [HKSample], _ tally: inout IngestionTally) {
    tally.rejected[.storeFailed, default: 0] += samples.count { $0.isHeartRate }
  }
}

extension HKSample {
  fileprivate var isHeartRate: Bool { sampleType.identifier == SampleTypes.heartRate }
}

extension SampleDraft {
  fileprivate var isHeartRate: Bool { if case .heartRate = self { true } else { false } }
}
