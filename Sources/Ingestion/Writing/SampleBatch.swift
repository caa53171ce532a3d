package import Bluetooth
package import Foundation
package import HealthKit
package import HealthStorage

/// The data of one commit: samples of several monitors, gaps, and status changes of the monitors.
package struct SampleBatch: Sendable {
  /// The samples of one monitor, which have the same source.
  struct Group: Sendable {
    var source: HKSource
    var monitor: AddressRecord?
    var measured: [MeasuredQuantities]
    var series: [HKSample]

    var count: Int { measured.reduce(series.count) { $0 + $1.count } }
    var heartRates: Int { measured.reduce(0) { $0 + ($1.areHeartRates ? $1.count : 0) } }
  }

  var groups: [Group]
  /// Heartbeat series that are still being measured, with their beats so far.
  var openSeries: [OpenSeriesRecord] = []
  package var changes: MonitorChangesRecord

  /// The result of a commit.
  package struct Outcome: Sendable {
    /// The number of new samples, by type identifier.
    var stored: [String: Int] = [:]
    /// The number of heart rates that were already in the store.
    var duplicates = 0
    /// Unfinished series that the user has deleted. A new series has to be started for each.
    package var deletedSeries: [UUID] = []
  }

  /// The number of samples and gaps.
  package var count: Int { groups.reduce(changes.gaps.count) { $0 + $1.count } }

  package var heartRates: Int { groups.reduce(0) { $0 + $1.heartRates } }

  /// Saves everything in one transaction. If it fails, nothing is saved.
  ///
  /// Quantities that are already stored are skipped. Heartbeat series are assumed to be new, so that a new
  /// recording does not need a lookup. Only if the store reports duplicates are the stored series looked up
  /// and the others saved.
  /// - Parameter form: How quantities are stored.
  /// - Throws: The store's error.
  package func save(to store: HKHealthStore, as form: MeasuredForm) async throws -> Outcome {
    do {
      return try await saveAll(to: store, as: form)
    } catch let error as DuplicateObjectsError {
      var seen = try await store.storedUUIDs(among: error.uuids)
      var batch = self
      for place in groups.indices {
        batch.groups[place].series = groups[place].series.filter { seen.insert($0.uuid).inserted }
      }
      return try await batch.saveAll(to: store, as: form)
    }
  }

  private func saveAll(to store: HKHealthStore, as form: MeasuredForm) async throws -> Outcome {
    let measured = groups.flatMap(\.measured)
    let saved = try await store.saveReporting(
      series, measured: measured, openSeries: openSeries, as: form, with: changes)
    var outcome = Outcome(deletedSeries: saved.samples.deletedSeries)
    for (quantities, result) in zip(measured, saved.measured) {
      if result.stored > 0 { outcome.stored[quantities.kind.type, default: 0] += result.stored }
      if quantities.areHeartRates { outcome.duplicates += result.duplicates }
    }
    // Only heartbeat series have sync versions, so all ignored samples are series.
    let count = groups.reduce(0) { $0 + $1.series.count } - saved.samples.ignored
    if count > 0 { outcome.stored[SampleTypes.beats] = count }
    return outcome
  }

  var series: [(source: HKSource, samples: [HKSample])] { groups.map { ($0.source, $0.series) } }
}

extension SampleBatch {
  /// Returns what to commit instead if the batch is discarded: its gaps, gaps for the lost samples with their
  /// heart-rate counts, and the status changes of the monitors.
  ///
  /// If the batch has no samples, returns only its gaps, because the store may have rejected the status
  /// changes.
  package func remains(afterLossBy cause: GapCause) -> MonitorChangesRecord {
    MonitorChangesRecord(
      gaps: changes.gaps + gapsOfLoss(cause), statuses: groups.isEmpty ? [] : changes.statuses)
  }

  private func gapsOfLoss(_ cause: GapCause) -> [MonitorGapRecord] {
    groups.compactMap { group in
      let times = group.measured.lazy.filter(\.areHeartRates).flatMap(\.starts)
      guard let monitor = group.monitor, let first = times.min(), let last = times.max() else { return nil }
      return MonitorGapRecord(
        monitor: monitor, start: first, end: last, cause: cause.rawValue, lost: group.heartRates)
    }
  }
}

extension IngestionTally {
  package mutating func add(_ outcome: SampleBatch.Outcome) {
    stored.merge(outcome.stored, uniquingKeysWith: +)
    duplicates += outcome.duplicates
  }
}

extension MeasuredQuantities {
  fileprivate var areHeartRates: Bool { kind.type == SampleTypes.heartRate }
}
