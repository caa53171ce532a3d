// How a handle on a store is made other than by `HKHealthStore()`.

extension HKHealthStore {
  /// The store in a place, for a program and with somebody to decide of the caller's choice. (Not in Apple's framework.)
  /// - Throws: `HKError`: errorDatabaseInaccessible, with the reason: not a health store, of a newer version, not
  ///   permitted; errorInvalidArgument if the description of this program is damaged, if anybody but the user is to decide on the
  ///   user's own store, or if the user is to decide on a store in memory, which no other program sees.
  public convenience init(configuration: Configuration) throws {
    try configuration.check()
    let application = try configuration.application ?? Application.this.get()
    let authority: Authority =
      if case .everything = configuration.decision { .unrestricted } else {
        .application(application, configuration.decision)
      }
    do {
      self.init(try StoreEngine(configuration.location), application.revision, authority)
    } catch {
      throw HKError(error)
    }
  }

  /// An empty store in memory, for tests, in which everything is permitted as if the user had granted it. A test that is to
  /// begin anew makes a new one. (Not in Apple's framework.)
  public static func inMemory() throws -> HKHealthStore {
    try HKHealthStore(configuration: Configuration(location: .memory, decision: .everything))
  }

  /// The store in a file for the system: for the gateway, which saves as the monitors that the user paired, and for the command
  /// line, which is the user's own hand. Nobody is asked.
  package convenience init(storeAt path: String) throws {
    try self.init(configuration: Configuration(location: .file(path), decision: .everything))
  }

  /// The system's handle on the same data, which saves under another source, as the gateway does for each monitor.
  package func acting(as revision: HKSourceRevision) -> HKHealthStore {
    HKHealthStore(engine, revision, .unrestricted)
  }

  package func acting(as source: HKSource) -> HKHealthStore {
    acting(as: HKSourceRevision(source: source, version: nil))
  }
}
