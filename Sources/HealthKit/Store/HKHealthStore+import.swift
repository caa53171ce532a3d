package import HealthStorage

extension HKHealthStore {
  /// Saves those of some samples that are not stored yet, in one transaction, each group as of the revision
  /// that recorded it. The samples of a correlation may be stored already.
  /// - Throws: errorAuthorizationDenied for any handle but the system's; `HKError` otherwise, and then
  ///   nothing of them is stored.
  package func saveNew(
    _ groups: [(revision: HKSourceRevision, samples: [HKSample])]
  ) async throws -> SaveOutcome {
    var batch = RecordBatch(revision, capacity: groups.reduce(0) { $0 + $1.samples.count })
    for group in groups {
      batch.change(to: group.revision)
      for sample in group.samples { try batch.append(sample) }
    }
    let records = batch.records
    return try await HKError.translating { try await systemDatabase().saveNew(records) }
  }
}
