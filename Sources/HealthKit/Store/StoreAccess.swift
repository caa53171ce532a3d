package import HealthStorage

/// What a caller wants with the store.
enum StoreAccess: Sendable {
  /// Correlations are saved by whoever may save what they hold, which stands here in their place. They are deleted by whoever
  /// may save anything that they may hold, and stand here themselves.
  case save(Set<HKSampleType>)
  case read(Set<HKObjectType>)
  /// What the user decided for the application, what it asks them, and how they want to see their data.
  case authorization
  /// What only the system does: look at everything, and keep what the user decides.
  case administer
}

extension HKHealthStore {
  /// The one door to the database: every read and every write passes here.
  ///
  /// What comes back shows an application what it may see and takes what it may save: the user's decisions are looked up in the
  /// transaction of each operation, so that a revocation holds at once.
  /// - Throws: errorAuthorizationDenied for a program without the entitlement; errorDatabaseInaccessible. The operations throw
  ///   errorAuthorizationNotDetermined where the user was not asked, and on saving errorAuthorizationDenied.
  func admit(_ access: StoreAccess) throws -> SampleDatabase {
    do {
      guard let application = try authority.application else { return try engine.database }
      let name = application.bundleIdentifier
      switch access {
      case .save(let types): return try engine.database.admitted(.sharing(types.map(\.protected), by: name))
      case .read(let types): return try engine.database.admitted(.reading(types.map(\.protected), by: name))
      case .authorization: return try engine.database
      case .administer: throw HKError(.errorAuthorizationDenied, reason: "Not authorized")
      }
    } catch {
      throw HKError(error)
    }
  }
}

extension HKHealthStore {
  /// The data as the system sees them, for what is not a program's to do: `HealthSystem` and the gateway begin here.
  /// - Throws: `HKError`, errorAuthorizationDenied for any handle but the system's; errorDatabaseInaccessible.
  package func systemDatabase() throws -> SampleDatabase { try admit(.administer) }
}

extension HKObjectType {
  /// What the permission for it hangs on.
  var protected: ProtectedType {
    if let correlation = self as? HKCorrelationType {
      return .container(identifier, of: correlation.memberTypes.map(\.identifier))
    }
    return requiresPerObjectAuthorization() ? .objects(identifier) : .type(identifier)
  }
}
