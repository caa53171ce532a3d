package import HealthStorage

/// What a caller wants with the store.
enum StoreAccess: Sendable {
  /// To save a correlation is to save what it holds, which stands here in its place. To delete one, any type
  /// that it may hold is enough; there the correlation itself stands here.
  case save(Set<HKSampleType>)
  case read(Set<HKObjectType>)
  /// What the user decided for the application, what it asks them, and how they want to see their data.
  case authorization
}

extension HKHealthStore {
  /// A program's door to the database: every read and every write of one passes here. Only
  /// `BackgroundDelivery` asks on a program's behalf, by `samples(ofType:asReadBy:)`.
  ///
  /// The result shows an application what it may see and takes what it may save. Each operation looks up the
  /// user's decisions in its own transaction, so that a revocation holds at once.
  /// - Throws: errorAuthorizationDenied for a program without the entitlement; errorDatabaseInaccessible. The
  ///   operations throw errorAuthorizationNotDetermined where the user was not asked, and on saving
  ///   errorAuthorizationDenied.
  func admit(_ access: StoreAccess) throws(HKError) -> SampleDatabase {
    try HKError.translating {
      guard let application = try authority.application else { return try engine.database }
      let name = application.bundleIdentifier
      switch access {
      case .save(let types): return try engine.database.admitted(.sharing(types.map(\.protected), by: name))
      case .read(let types): return try engine.database.admitted(.reading(types.map(\.protected), by: name))
      case .authorization: return try engine.database
      }
    }
  }

  /// The system's door: the data as they are, for what no program does. `HealthSystem` and the gateway begin
  /// here.
  /// - Throws: errorAuthorizationDenied for any handle but the system's; errorDatabaseInaccessible.
  package func systemDatabase() throws(HKError) -> SampleDatabase {
    try HKError.translating {
      guard try authority.application == nil else {
        throw HKError(.errorAuthorizationDenied, reason: "Not authorized")
      }
      return try engine.database
    }
  }
}

extension SampleDatabase {
  /// What an application may read of a type; nil if no samples are of that type.
  package func samples(ofType identifier: String, asReadBy application: String) -> SampleDatabase? {
    guard let type = ObjectTypes.type(identifier) as? HKSampleType else { return nil }
    return admitted(.reading([type.protected], by: application))
  }
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
