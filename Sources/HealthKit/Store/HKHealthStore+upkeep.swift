import HealthStorage

extension HKHealthStore {
  /// Returns the number of matching samples by type identifier.
  /// - Throws: `HKError` errorAuthorizationDenied if this handle checks permissions.
  package func counts<Sample: HKSample>(_ predicates: [HKSamplePredicate<Sample>]) async throws -> [String:
    Int]
  {
    guard !predicates.isEmpty else { return [:] }
    let request = try SampleRequest(predicates)
    return try await HKError.translating { try await systemDatabase().counts(request.filter) }
  }

  /// Deletes all samples that match when the function is called, from any source. Each transaction deletes
  /// several thousand. Observer queries report the deletions.
  /// - Parameter progress: Called after each transaction with the number of samples deleted so far. Return
  ///   false to stop early.
  /// - Returns: The number of deleted samples.
  /// - Throws: `HKError` errorAuthorizationDenied if this handle checks permissions. Samples deleted before
  ///   an error remain deleted.
  package func deleteMatching<Sample: HKSample>(
    _ predicates: [HKSamplePredicate<Sample>], progress: (Int) -> Bool = { _ in true }
  ) async throws -> Int {
    guard !predicates.isEmpty else { return 0 }
    let request = try SampleRequest(predicates)
    return try await HKError.translating {
      try await systemDatabase().deleteMatching(
        request.filter, inTransactionsOf: Self.deletionsInTransaction, progress: progress)
    }
  }

  private static let deletionsInTransaction = 5000
}
