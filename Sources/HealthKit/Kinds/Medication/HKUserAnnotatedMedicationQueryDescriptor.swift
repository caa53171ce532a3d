public import Foundation

/// Asks for the medications that the user keeps, once.
public struct HKUserAnnotatedMedicationQueryDescriptor: HKAsyncQuery, Sendable {
  private var tree: Result<ConditionTree<MedicationCondition>?, HKError>
  /// nil for no limit.
  public var limit: Int?

  /// - Parameter predicate: made by `HKQuery.predicateForUserAnnotatedMedications(isArchived:)` or
  ///   `(hasSchedule:)`, or a compound of such; nil for all.
  public init(predicate: NSPredicate? = nil, limit: Int? = nil) {
    tree = ConditionTree.of(predicate)
    self.limit = limit
  }

  /// An equivalent of the predicate given, since an `NSPredicate` must not cross threads.
  public var predicate: NSPredicate? {
    get { try? tree.get().map { ConditionPredicate($0) } }
    set { tree = ConditionTree.of(newValue) }
  }

  /// The medications in the order in which the user took them up; none if they do not let this program see
  /// them.
  /// - Throws: `HKError`: errorInvalidArgument for another kind of predicate.
  public func result(for store: HKHealthStore) async throws -> [HKUserAnnotatedMedication] {
    try await store.medications(tree.get(), limit: limit)
  }
}
