package import Bluetooth
package import Foundation
package import HealthKit
package import HealthStorage

/// What is committed together: what several monitors measured, each under its own source, and what became of
/// the monitors.
package struct SampleBatch: Sendable {
  /// What one monitor measured.
  struct Group: Sendable {
    var source: HKSource
    var monitor: AddressRecord?
    var measured: [MeasuredQuantities]
    var series: [HKSample]

    var count: Int { measured.reduce(series.count) { $0 + $1.count } }
    var heartRates: Int { measured.reduce(0) { $0 + ($1.areHeartRates ? $1.count : 0) } }
  }

  var groups: [Group]
  /// Runs of beats in progress, each as it is at the end of the batch.
  var openSeries: [OpenSeriesRecord] = []
  package var changes: MonitorChangesRecord

  /// What became of a batch that was committed.
  package struct Outcome: Sendable {
    /// New samples, by type identifier.
    var stored: [String: Int] = [:]
    /// Heart rates that were in the store already.
    var duplicates = 0
    /// Series in progress that the user deleted: other series are to be begun.
    package var deletedSeries: [UUID] = []
  }

  /// How many samples and gaps there are.
  package var count: Int { groups.reduce(changes.gaps.count) { $0 + $1.count } }

  package var heartRates: Int { groups.reduce(0) { $0 + $1.heartRates } }

  /// Commits all of it or nothing.
  ///
  /// Quantities that are stored already are left out. All series are taken to be new, which costs nothing
  /// for a new recording; only if the store knows some of them already is it asked which, and the rest is
  /// saved.
  /// - Parameter form: How quantities are stored.
  /// - Throws: The store's error.
  package func save(to store: HKHealthStore, as form: MeasuredForm) async throws -> Outcome {
    do {
      return try await saveAll(to: store, as: form)
    } catch let error as DuplicateObjects {
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
    // Only series carry a version, so what was ignored is one of them.
    let count = groups.reduce(0) { $0 + $1.series.count } - saved.samples.ignored
    if count > 0 { outcome.stored[SampleTypes.beats] = count }
    return outcome
  }

  var series: [(source: HKSource, samples: [HKSample])] { groups.map { ($0.source, $0.series) } }
}

extension SampleBatch {
  /// What remains when the batch is given up: its gaps, those that its loss leaves, with how many heart rates
  /// are lost in each, and what was learnt of the monitors.
  ///
  /// Of a batch without samples only the gaps remain: what was learnt may be what the store does not take.
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
