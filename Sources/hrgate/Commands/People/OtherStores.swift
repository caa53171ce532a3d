import Foundation
import Gateway
import HealthKit
import HealthSystem

extension PersonStore {
  /// Returns the existing stores of the account owner and of all people, except the chosen one. If the chosen
  /// store is a file that an option names, the list is empty, because such a file belongs to no person.
  /// - Throws: `ConfigurationError`; ``CommandError``.
  static func others(beside choice: StoreChoice) throws -> [PersonStore] {
    if case .file = choice { return [] }
    let home = DataHome.user
    let people = try PersonError.translating { () throws(PersonError) in try home.people.names() }
    let stores =
      [PersonStore(person: nil, path: try StoreChoice.owners)]
      + people.map { PersonStore(person: $0.text, path: home.people.store(of: $0)) }
    return stores.filter { FileManager.default.fileExists(atPath: $0.path) && $0.path != choice.file }
  }
}

extension MonitorOwners.Enrolments {
  /// Reads a person's store, if it exists.
  /// - Parameter isLooking: Whether to read the store without migrating it.
  /// - Returns: `nil` if there is no store.
  /// - Throws: `HKError`.
  static func read(_ path: String, isLooking: Bool) async throws -> Self? {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    if isLooking { return try Self(ofStoreAt: path) }
    return try await Self(of: MonitorRegistry(HKHealthStore(storeAt: path)))
  }
}
