import HealthStorage

extension HKHealthStore {
  /// How many samples match, by the identifier of their type.
  /// - Throws: errorAuthorizationDenied for any handle but the system's.
  package func counts<Sample: HKSample>(_ predicates: [HKSamplePredicate<Sample>]) async throws -> [String:
    Int]
  {
    guard !predicates.isEmpty else { return [:] }
    let question = try SampleQuestion(predicates)
    return try await HKError.translating { try await systemDatabase().counts(question.filter) }
  }

  /// Deletes the samples that match now, whoever saved them, some thousands in a transaction. Programs are
  /// told of each.
  /// - Parameter progress: told how many are deleted, after each transaction; ends it early by returning
  ///   false.
  /// - Returns: how many were deleted.
  /// - Throws: errorAuthorizationDenied for any handle but the system's; what was deleted before stays
  ///   deleted.
  package func deleteMatching<Sample: HKSample>(
    _ predicates: [HKSamplePredicate<Sample>], progress: (Int) -> Bool = { _ in true }
  ) async throws -> Int {
    guard !predicates.isEmpty else { return 0 }
    let question = try SampleQuestion(predicates)
    return try await HKError.translating {
      try await systemDatabase().deleteMatching(
        question.filter, inTransactionsOf: Self.deletionsInTransaction, progress: progress)
    }
  }

  private static let deletionsInTransaction = 5000
}
