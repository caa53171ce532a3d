public import Foundation
import HealthStorage

/// A query that reads the user's medications once.
// @unchecked: HKQuery is open. All state is `let`, Sendable or in a Mutex.
open class HKUserAnnotatedMedicationQuery: HKQuery, @unchecked Sendable {
  /// The arguments are the query, a medication, whether this is the last call, and an error. The medication
  /// is nil in the last call.
  public typealias ResultsHandler =
    @Sendable (HKUserAnnotatedMedicationQuery, HKUserAnnotatedMedication?, Bool, (any Error)?) -> Void

  public let limit: Int
  private let tree: Result<ConditionTree<MedicationCondition>?, HKError>
  private let handler: ResultsHandler

  /// Creates a query.
  /// - Parameters:
  ///   - predicate: Created by `HKQuery.predicateForUserAnnotatedMedications(isArchived:)` or
  ///     `(hasSchedule:)`, or a compound of such predicates. Nil for all medications.
  ///   - limit: The maximum number of medications; `HKObjectQueryNoLimit` for all.
  ///   - resultsHandler: Called for each medication, then once without a medication.
  @preconcurrency
  public init(predicate: NSPredicate?, limit: Int, resultsHandler handler: @escaping ResultsHandler) {
    self.limit = limit
    tree = ConditionTree.of(predicate)
    self.handler = handler
    super.init(ObjectTypes.userAnnotatedMedication, nil)
  }

  /// An equivalent of the predicate passed to the initializer.
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

/// A query that reads the user's medications once.
public struct HKUserAnnotatedMedicationQueryDescriptor: HKAsyncQuery, Sendable {
  private var tree: Result<ConditionTree<MedicationCondition>?, HKError>
  /// The maximum number of medications; nil for no limit.
  public var limit: Int?

  /// Creates a query.
  /// - Parameter predicate: Created by `HKQuery.predicateForUserAnnotatedMedications(isArchived:)` or
  ///   `(hasSchedule:)`, or a compound of such predicates. Nil for all medications.
  public init(predicate: NSPredicate? = nil, limit: Int? = nil) {
    tree = ConditionTree.of(predicate)
    self.limit = limit
  }

  /// An equivalent of the predicate passed to the initializer. Rebuilt on each access because `NSPredicate`
  /// is not Sendable.
  public var predicate: NSPredicate? {
    get { try? tree.get().map { ConditionPredicate($0) } }
    set { tree = ConditionTree.of(newValue) }
  }

  /// Returns the medications in the order in which the user added them. Empty if the program may not read
  /// them.
  /// - Throws: `HKError` errorInvalidArgument for an unsupported predicate.
  public func result(for store: HKHealthStore) async throws -> [HKUserAnnotatedMedication] {
    try await store.medications(tree.get(), limit: limit)
  }
}

// MARK: - Reading

extension HKHealthStore {
  /// Returns the user's medications in the order in which they were added. Empty if the program may not read
  /// them.
  func medications(
    _ tree: ConditionTree<MedicationCondition>?, limit: Int?
  ) async throws -> [HKUserAnnotatedMedication] {
    let type = ObjectTypes.userAnnotatedMedication
    return try await HKError.translating {
      let archives = try await admit(.read([type])).medications(permittedAs: type.identifier)
      let all = try archives.map { try ArchivedClasses.unarchive(HKUserAnnotatedMedication.self, from: $0) }
      let matching = all.filter { tree?.holds($0) ?? true }
      return Array(matching.prefix(limit.flatMap { $0 == HKObjectQueryNoLimit ? nil : max($0, 0) } ?? .max))
    }
  }

  /// Requests permission to read the user's medications and their doses. The user decides on all medications
  /// together. If there are no medications, the user is not asked.
  func authorizeMedications(_ application: Application) async throws {
    let types: Set<HKObjectType> = [ObjectTypes.userAnnotatedMedication, ObjectTypes.medicationDoseEvent]
    guard try await !unrestricted.medications(nil, limit: 1).isEmpty else { return }
    try await decide(
      PermissionRequest(application, read: types.map(\.identifier).sorted()),
      Configuration.Request(application: application, share: [], read: types, objects: []))
  }
}

extension HKHealthConceptIdentifier {
  /// A string that is unique across all domains.
  package var key: String { "\(domain.rawValue) \(underlyingIdentifier)" }
}
