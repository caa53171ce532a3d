import Foundation
import HealthStorage

extension HKHealthStore {
  /// The medications that the user keeps, in the order in which they took them up; none where they do not let
  /// this program see them.
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

  /// Asks whether this program may read the medications that the user keeps, and the doses of them. The user
  /// decides on all of them together. Without a medication nobody is asked.
  func authorizeMedications(_ application: Application) async throws {
    let types: Set<HKObjectType> = [ObjectTypes.userAnnotatedMedication, ObjectTypes.medicationDoseEvent]
    guard try await !unrestricted.medications(nil, limit: 1).isEmpty else { return }
    try await decide(
      PermissionRequest(application, read: types.map(\.identifier).sorted()),
      Configuration.Request(application: application, share: [], read: types, objects: []))
  }
}

extension HKHealthConceptIdentifier {
  /// What tells it from every other of any domain.
  package var key: String { "\(domain.rawValue) \(underlyingIdentifier)" }
}
