package import HealthStorage

/// The kind of access to a store that an operation needs.
enum StoreAccess: Sendable {
  /// Saving or deleting samples of these types.
  ///
  /// Saving a correlation requires permission for the types of its samples, which are listed instead of the
  /// correlation type. Deleting a correlation requires permission for at least one type that it can contain;
  /// in that case, the correlation type is listed.
  case save(Set<HKSampleType>)
  case read(Set<HKObjectType>)
  /// Access to the user's decisions about the program, to its permission requests, and to the user's
  /// preferred units.
  case authorization
}

extension HKHealthStore {
  /// Returns a database with access checks for the program. All reads and writes of a program use it, except
  /// that `BackgroundDelivery` uses `samples(ofType:asReadBy:)` on behalf of programs.
  ///
  /// The database shows only what the program may read and accepts only what it may save. As on Apple's
  /// systems, data that may not be read appears to be missing, because the denial itself could reveal
  /// something about the user's health. Each operation looks up the user's decisions in its own transaction,
  /// so a revocation takes effect immediately.
  /// - Throws: `HKError` errorAuthorizationDenied for a program without the entitlement;
  ///   errorDatabaseInaccessible. Operations on the database throw errorAuthorizationNotDetermined if the
  ///   program did not request authorization, and errorAuthorizationDenied if it may not save.
  func admit(_ access: StoreAccess) throws(HKError) -> SampleDatabase {
    try HKError.translating {
      guard let application = try authority.application else { return try engine.database }
      let name = application.bundleIdentifier
      switch access {
      case .save(let types): return try engine.database.admitted(.sharing(types.map(\.protected), by: name))
      case .read(let types):
        return try engine.database.admitted(
          .reading(types.map(\.protected), by: name), recordsReads: true)
      case .authorization: return try engine.database
      }
    }
  }

  /// Returns the database without access checks, for the gateway and `HealthSystem`.
  /// - Throws: `HKError` errorAuthorizationDenied if this handle checks permissions;
  ///   errorDatabaseInaccessible.
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
  /// Returns a database with the samples of a type that an application may read, or nil if the identifier is
  /// not a sample type.
  package func samples(ofType identifier: String, asReadBy application: String) -> SampleDatabase? {
    guard let type = ObjectTypes.type(identifier) as? HKSampleType else { return nil }
    return admitted(.reading([type.protected], by: application))
  }
}

extension HKObjectType {
  /// What the user must permit before a program may access objects of this type: the type itself, the types
  /// that it contains, or each single object.
  var protected: ProtectedType {
    if let correlation = self as? HKCorrelationType {
      return .container(identifier, of: correlation.memberTypes.map(\.identifier))
    }
    return requiresPerObjectAuthorization() ? .objects(identifier) : .type(identifier)
  }
}
