// Further initializers and functions that create a store handle.

import HealthStorage

extension HKHealthStore {
  /// Creates a handle with a location, program and decision. (Not part of Apple's framework.)
  /// - Throws: `HKError`:
  ///   - errorDatabaseInaccessible if the file is not a health store, has a newer version or may not be
  ///     opened. Also if the list of the user's stores is needed and cannot be read.
  ///   - errorInvalidArgument if the description of this program is damaged. Also if location and decision
  ///     are incompatible: only the user decides on the user's own store, and the user cannot decide on a
  ///     store in memory, which other programs cannot see.
  public convenience init(configuration: Configuration) throws {
    try self.init(
      configuration: configuration, usersStores: try HKError.translating { try DataHome.user.stores })
  }

  /// Creates a handle. Tests can pass the list of the user's stores.
  /// - Parameter usersStores: The files for which only the user may decide.
  package convenience init(
    configuration: Configuration, usersStores: @autoclosure () throws -> [String]
  ) throws {
    try configuration.check(usersStores)
    let application = try configuration.application ?? Application.this.get()
    let engine = try Self.engine(at: configuration.location)
    // Check again, because the file may not have existed before. Now that it exists, it may turn out to be
    // the user's store.
    try configuration.check(usersStores)
    self.init(engine, application.revision, Authority(application, configuration.decision))
  }

  private static func engine(at location: Configuration.Location) throws -> StoreEngine {
    try HKError.translating { try StoreEngine(location) }
  }

  /// Returns an empty store in memory for tests, with all permissions granted. To start over, a test creates
  /// a new one. (Not part of Apple's framework.)
  ///
  /// ```swift
  /// let store = try HKHealthStore.inMemory()
  /// ```
  public static func inMemory() throws -> HKHealthStore {
    try HKHealthStore(configuration: Configuration(location: .memory, decision: .everything))
  }

  /// Opens the store in a file with unrestricted access. This is for the gateway, which saves under the
  /// sources of the paired monitors, and for the command-line tools.
  package convenience init(storeAt path: String) throws {
    let revision = try Application.this.get().revision
    self.init(try Self.engine(at: .file(path)), revision, .unrestricted)
  }

  /// Returns an empty store with unrestricted access that no other process can see. It is deleted when its
  /// last handle is released. Its data is on disk, in an unnamed file.
  package static func unnamed() throws -> HKHealthStore {
    let engine = try HKError.translating { StoreEngine(try SampleDatabase.unnamed(.ofHealthKit)) }
    return HKHealthStore(engine, try Application.this.get().revision, .unrestricted)
  }

  /// Returns a handle on the same data, without permission checks, whose reads either skip damaged segments
  /// (stored hours of compressed samples) or fail on them. The caller reports the skipped segments
  /// (`SampleDatabase.damagedBlocks`).
  /// - Throws: `HKError` errorAuthorizationDenied if this handle checks permissions.
  package func skippingDamagedBlocks(_ isSkipping: Bool = true) throws -> HKHealthStore {
    HKHealthStore(
      StoreEngine(try systemDatabase().skippingDamagedBlocks(isSkipping)), revision, .unrestricted)
  }

  /// Returns an unrestricted handle on the same data that saves under another source, as the gateway does for
  /// each monitor.
  package func acting(as revision: HKSourceRevision) -> HKHealthStore {
    HKHealthStore(engine, revision, .unrestricted)
  }

  /// Returns an unrestricted handle on the same data that saves under another source without a version.
  package func acting(as source: HKSource) -> HKHealthStore {
    acting(as: HKSourceRevision(source: source, version: nil))
  }
}
