import Foundation
package import HealthStorage

extension HKHealthStore {
  /// Saves objects like `save(_:)`, and returns how many were stored, replaced others or were ignored.
  /// - Throws: `DuplicateObjectsError` with all UUIDs that are already stored or occur twice; otherwise the
  ///   errors of `save(_:)`.
  package func saveReporting(_ objects: [HKObject]) async throws -> SaveOutcome {
    var batch = RecordBatch(revision, capacity: objects.count)
    for object in objects { try batch.append(object) }
    return try await save(batch)
  }

  /// Saves the samples of several monitors together with other measurements and changes to the monitors, in
  /// one transaction.
  /// - Parameters:
  ///   - measured: Other measured quantities. Quantities that are already stored are skipped.
  ///   - openSeries: The current contents of the heartbeat series in progress.
  ///   - form: The storage form of the measured quantities.
  /// - Returns: The outcome for the samples, and the outcome for each of the measured quantities in order.
  /// - Throws: `HKError` errorAuthorizationDenied if this handle checks permissions.
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

  /// Saves heartbeat series that a killed gateway left unfinished as samples.
  /// - Returns: The number of series.
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

  /// Returns the UUIDs of those samples that `saveReporting(_:with:)` would not add, because they or newer
  /// versions of them are already stored.
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
    } catch StorageError.duplicates(let uuids) {
      throw DuplicateObjectsError(uuids: uuids)
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      throw HKError(error)
    }
  }

  /// Returns the measured quantities that are not stored yet.
  package func unsaved(of measured: [MeasuredQuantities]) async throws -> [MeasuredQuantities] {
    try await HKError.translating { try await systemDatabase().unsaved(of: measured) }
  }

  /// Returns the start of the latest sample of a type in microseconds since 1970, or nil without samples.
  package func latestStart(of type: String) async throws -> Int64? {
    try await HKError.translating { try await systemDatabase().latestStart(of: type) }
  }

  /// Returns those of the UUIDs that are stored, from any source.
  package func storedUUIDs(among uuids: [UUID]) async throws -> Set<UUID> {
    try await HKError.translating { try await systemDatabase().stored(among: uuids) }
  }
}

// MARK: - Deleting

extension HKHealthStore {
  func remove(_ objects: [HKObject]) async throws {
    try await HKError.translating {
      let types = Set(objects.compactMap { ($0 as? HKSample)?.sampleType })
      try await admit(.save(types)).delete(
        objects.map(\.uuid), savedBy: revision.source.bundleIdentifier,
        protection: ObjectTypes.protection)
    }
  }

  func remove(_ type: HKObjectType, _ predicate: PredicateTranslation) async throws -> Int {
    guard let type = type as? HKSampleType else {
      throw HKError(.errorInvalidArgument, reason: "objects of \(type) cannot be deleted")
    }
    return try await HKError.translating {
      try await admit(.save([type]))
        .delete(SampleFilter.samples(of: type, predicate), savedBy: revision.source.bundleIdentifier)
    }
  }

  /// Runs work and then calls a completion handler. The task is unstructured, because this function is
  /// not async.
  func report(
    to completion: @escaping @Sendable (Bool, (any Error)?) -> Void,
    _ work: @escaping @Sendable () async throws -> Void
  ) {
    Task {
      do {
        try await work()
        completion(true, nil)
      } catch {
        completion(false, error)
      }
    }
  }
}

extension MeasuredKind {
  /// Creates the description of measured quantities for a HealthKit type.
  /// - Parameters:
  ///   - unit: A unit that is compatible with the type.
  ///   - monitor: The Bluetooth address of the monitor, from which the UUIDs of samples are derived.
  package convenience init(
    _ type: HKQuantityType, in unit: HKUnit, from source: HKSource, by device: HKDevice,
    metadata: ObjectMetadata, monitor: String
  ) {
    let revision = HKSourceRevision(source: source, version: nil).record
    self.init(
      type: type.identifier, unit: unit.unitString,
      provenance: Provenance(revision: revision, device: device.record), metadata: metadata.encoded,
      monitor: monitor)
  }
}
