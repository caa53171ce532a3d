package import HealthStorage

extension HKHealthStore {
  /// Saves the samples that are not stored yet, in one transaction. Each group is saved under its source
  /// revision. The samples of a correlation may be stored already.
  /// - Parameter matching: The rules for recognizing samples that are stored under another UUID.
  /// - Throws: `HKError` errorAuthorizationDenied if this handle checks permissions. If an error is thrown,
  ///   nothing is saved.
  package func saveNew(
    _ groups: [(revision: HKSourceRevision, samples: [HKSample])], matching: ImportMatching? = nil
  ) async throws -> SaveOutcome {
    var batch = RecordBatch(revision, capacity: groups.reduce(0) { $0 + $1.samples.count })
    for group in groups {
      batch.change(to: group.revision)
      for sample in group.samples { try batch.append(sample) }
    }
    let records = batch.records
    return try await HKError.translating { try await systemDatabase().saveNew(records, matching: matching) }
  }

  /// Returns what an import needs to know about the store.
  /// - Returns: The end of the change log, and the bundle identifiers of the sources of all samples.
  /// - Throws: `HKError` errorAuthorizationDenied if this handle checks permissions.
  package func beginImport() async throws -> (position: Int64, sources: Set<String>) {
    try await HKError.translating {
      let database = try systemDatabase()
      let sources = try await database.inventory().map(\.source.bundleIdentifier)
      return (try await database.endOfChanges(), Set(sources))
    }
  }
}
