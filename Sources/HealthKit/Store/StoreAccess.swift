import HealthStorage

/// What a caller wants with the store.
enum StoreAccess: Sendable {
  case save(Set<HKSampleType>)
  case read(Set<HKObjectType>)
  /// What only the system does: keep what the user decides.
  case administer
}

extension HKHealthStore {
  /// The one door to the database: every read and every write passes here, and authorisation is decided here.
  ///
  /// As yet everything is permitted; what a source may share and read comes with `requestAuthorization`.
  func admit(_ access: StoreAccess) throws -> SampleDatabase {
    do {
      return try engine.database
    } catch {
      throw HKError(error)
    }
  }
}
