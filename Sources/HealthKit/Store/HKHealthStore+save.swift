import Foundation
package import HealthStorage

extension HKHealthStore {
  /// As `save(_:)`, and says what became of the objects.
  /// - Throws: `DuplicateObjects` with every UUID that is taken; otherwise as `save(_:)`.
  package func saveReporting(_ objects: [HKObject]) async throws -> SaveOutcome {
    var batch = RecordBatch(revision, capacity: objects.count)
    for object in objects { try batch.append(object) }
    return try await save(batch)
  }

  /// As `saveReporting(_:)` for the samples of several monitors at once, with what else they measured and
  /// what became of them: all of it or nothing.
  /// - Parameters:
  ///   - measured: of these, those that are stored already are left out.
  ///   - openSeries: heartbeat series in progress, each as it is now.
  ///   - form: how they are stored.
  /// - Returns: What became of the samples, and of what else was measured, in its order.
  /// - Throws: errorAuthorizationDenied for any handle but the system's.
  package func saveReporting(
    _ groups: [(source: HKSource, samples: [HKSample])], measured: [MeasuredQuantities] = [],
    openSeries: [OpenSeriesRecord] = [], as form: MeasuredForm = .rows, with changes: MonitorChangesRecord
  ) async throws -> (samples: SaveOutcome, measured: [MeasuredOutcome]) {
    let records = try records(of: groups)
    return try await reporting {
      try await systemDatabase().save(
        records, measured: measured, openSeries: openSeries, as: form, with: changes)
    }
  }

  /// Makes samples of the heartbeat series that a gateway left unfinished because it was killed.
  /// - Returns: How many there were.
  package func finishOpenSeries() async throws -> Int {
    try await HKError.translating {
      try await systemDatabase().finishOpenSeries { sync in
        [
          HKMetadataKeySyncIdentifier: .string(sync.identifier),
          HKMetadataKeySyncVersion: .integer(sync.version),
        ]
      }
    }
  }

  /// Which of the samples `saveReporting(_:with:)` would not add: those that are stored, and those for which
  /// this or a later version is.
  package func settledUUIDs(among groups: [(source: HKSource, samples: [HKSample])]) async throws -> Set<UUID>
  {
    let records = try records(of: groups)
    return try await HKError.translating { try await systemDatabase().settled(records) }
  }

  private func records(
    of groups: [(source: HKSource, samples: [HKSample])]
  ) throws(HKError) -> [SampleRecord] {
    var batch = RecordBatch(revision, capacity: groups.reduce(0) { $0 + $1.samples.count })
    for group in groups {
      batch.change(to: HKSourceRevision(source: group.source, version: nil))
      for sample in group.samples { try batch.append(sample) }
    }
    return batch.records
  }

  private func save(_ batch: RecordBatch) async throws -> SaveOutcome {
    try await reporting { try await admit(.save(batch.types)).save(batch.records) }
  }

  private func reporting<Outcome>(_ save: () async throws -> Outcome) async throws -> Outcome {
    do {
      return try await save()
    } catch StorageFailure.duplicates(let uuids) {
      throw DuplicateObjects(uuids: uuids)
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      throw HKError(error)
    }
  }

  /// Without what is stored already.
  package func unsaved(of measured: [MeasuredQuantities]) async throws -> [MeasuredQuantities] {
    try await HKError.translating { try await systemDatabase().unsaved(of: measured) }
  }

  /// When the latest sample of a type begins, in microseconds since 1970; `nil` if there is none.
  package func latestStart(of type: String) async throws -> Int64? {
    try await HKError.translating { try await systemDatabase().latestStart(of: type) }
  }

  /// Which of these objects are stored, whoever saved them.
  package func storedUUIDs(among uuids: [UUID]) async throws -> Set<UUID> {
    try await HKError.translating { try await systemDatabase().stored(among: uuids) }
  }
}
