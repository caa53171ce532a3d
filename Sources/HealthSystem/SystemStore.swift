package import HealthKit
package import HealthStorage

/// A health store in its owner's hand: what the user does with it, and no program can.
package struct SystemStore: Sendable {
  /// The same data through HealthKit, where nobody is asked.
  package let healthStore: HKHealthStore
  package let database: SampleDatabase

  /// - Parameter healthStore: the system's handle.
  /// - Throws: `HKError`, errorAuthorizationDenied for any other handle; errorDatabaseInaccessible.
  package init(_ healthStore: HKHealthStore) throws {
    self.healthStore = healthStore
    database = try healthStore.systemDatabase()
  }

  /// The store in a file, which is made if it is not there.
  /// - Throws: `HKError`, errorDatabaseInaccessible, with the reason.
  package init(at path: String) throws {
    try self.init(HKHealthStore(storeAt: path))
  }

  /// The store of whom this program is for: the person in `HRGATE_PERSON`, or the owner.
  /// - Throws: `HKError`, errorDatabaseInaccessible, with the reason.
  package static func ofUser() throws -> SystemStore {
    try SystemStore(at: HKError.translating { try DataHome.user.store() })
  }
}
