public import Foundation

/// Asks for the medications that the user keeps, once.
// @unchecked: as for HKQuery.
open class HKUserAnnotatedMedicationQuery: HKQuery, @unchecked Sendable {
  /// A medication, and whether it was the last; nil with an error, or where there is none.
  public typealias ResultsHandler =
    @Sendable (HKUserAnnotatedMedicationQuery, HKUserAnnotatedMedication?, Bool, (any Error)?) -> Void

  public let limit: Int
  private let tree: Result<ConditionTree<MedicationCondition>?, HKError>
  private let handler: ResultsHandler

  /// - Parameters:
  ///   - predicate: made by `HKQuery.predicateForUserAnnotatedMedications(isArchived:)` or `(hasSchedule:)`,
  ///     or a compound of such; nil for all.
  ///   - limit: `HKObjectQueryNoLimit` for all.
  ///   - resultsHandler: called for each medication, and a last time without one when it is done.
  @preconcurrency
  public init(predicate: NSPredicate?, limit: Int, resultsHandler handler: @escaping ResultsHandler) {
    self.limit = limit
    tree = ConditionTree.of(predicate)
    self.handler = handler
    super.init(ObjectTypes.userAnnotatedMedication, nil)
  }

  /// An equivalent of the predicate given.
  public override var predicate: NSPredicate? { try? tree.get().map { ConditionPredicate($0) } }

  override func run(in store: HKHealthStore) async {
    do {
      for medication in try await store.medications(tree.get(), limit: limit) {
        await deliver { self.handler(self, medication, false, nil) }
      }
      await deliver { self.handler(self, nil, true, nil) }
    } catch {
      await deliver { self.handler(self, nil, true, error) }
    }
  }
}
