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
  }

  private let store: HKHealthStore?
  private var queues: [PeripheralIdentity: Queue] = [:]
  /// The monitors in the order in which they came, which is the order of their batches.
  private var order: [PeripheralIdentity] = []
  private var pendingCount = 0

  /// - Parameter store: `nil` counts what would be stored and stores nothing.
  init(store: HKHealthStore?) { self.store = store }

  var isBatchFull: Bool { pendingCount >= Self.batchSize }

  mutating func add(
    _ drafts: [SampleDraft], of description: MonitorDescription, _ tally: inout IngestionTally
  ) throws {
    guard let store else { return Self.count(drafts, &tally) }
    var queue = queues[description.peripheral]
    queues[description.peripheral] = nil
    if queue == nil { order.append(description.peripheral) }
    if queue?.samples.revision != description.revision {
      let samples = try MonitorSamples(description)
      queue = Queue(
        samples: samples, store: store.acting(as: samples.source), pending: queue?.pending ?? [])
    }
    guard var queue else { return }
    queue.pending.reserveCapacity(Self.batchSize)
    for draft in drafts { queue.pending.append(try queue.samples.sample(draft)) }
    pendingCount += drafts.count
    queues[description.peripheral] = queue
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
