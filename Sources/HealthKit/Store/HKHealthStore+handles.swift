// How a handle on a store is made other than by `HKHealthStore()`.

import HealthStorage

extension HKHealthStore {
  /// A store where, for whom and under whose decision the configuration says. (Not in Apple's framework.)
  /// - Throws: `HKError`: errorDatabaseInaccessible, with the reason: not a health store, of a newer version,
  ///   not permitted; errorInvalidArgument if the description of this program is damaged, if anybody but the
  ///   user is to decide on the user's own store, or if the user is to decide on a store in memory, which no
  ///   other program sees. errorDatabaseInaccessible too where somebody else is to decide and it cannot be
  ///   read which stores are the user's.
  public convenience init(configuration: Configuration) throws {
    try self.init(
      configuration: configuration, usersStores: try HKError.translating { try DataHome.user.stores })
  }

  /// - Parameter usersStores: the files in which only the user decides.
  package convenience init(
    configuration: Configuration, usersStores: @autoclosure () throws -> [String]
  ) throws {
    try configuration.check(usersStores)
    let application = try configuration.application ?? Application.this.get()
    let engine = try Self.engine(at: configuration.location)
    // Once more: a file that was not there may be the user's now that it is.
    try configuration.check(usersStores)
    self.init(engine, application.revision, Authority(application, configuration.decision))
  }

  private static func engine(at location: Configuration.Location) throws -> StoreEngine {
    try HKError.translating { try StoreEngine(location) }
  }

  /// An empty store in memory, for tests, in which everything is permitted as if the user had granted it. A
  /// test that is to begin anew makes a new one. (Not in Apple's framework.)
  public static func inMemory() throws -> HKHealthStore {
    try HKHealthStore(configuration: Configuration(location: .memory, decision: .everything))
  }

  /// The store in a file for the system: for the gateway, which saves as the monitors that the user paired,
  /// and for the user at the command line. Nobody is asked.
  package convenience init(storeAt path: String) throws {
    let revision = try Application.this.get().revision
    self.init(try Self.engine(at: .file(path)), revision, .unrestricted)
  }

  /// An empty store for the system that nobody else sees and that is gone with the last handle on it. What it
  /// holds is on the disk, in a file without a name.
  package static func unnamed() throws -> HKHealthStore {
    let engine = try HKError.translating { StoreEngine(try SampleDatabase.unnamed(.ofHealthKit)) }
    return HKHealthStore(engine, try Application.this.get().revision, .unrestricted)
  }

  /// Returns the system's handle on the same data, whose reads skip damaged blocks or fail at them. The caller
  /// reports skipped blocks (`SampleDatabase.damagedBlocks`).
  /// - Throws: errorAuthorizationDenied for any handle but the system's.
  package func skippingDamagedBlocks(_ isSkipping: Bool = true) throws -> HKHealthStore {
    HKHealthStore(
      StoreEngine(try systemDatabase().skippingDamagedBlocks(isSkipping)), revision, .unrestricted)
  }

  /// The system's handle on the same data, which saves under another source, as the gateway does for each
  /// monitor.
  package func acting(as revision: HKSourceRevision) -> HKHealthStore {
    HKHealthStore(engine, revision, .unrestricted)
  }

  package func acting(as source: HKSource) -> HKHealthStore {
    acting(as: HKSourceRevision(source: source, version: nil))
  }
}
