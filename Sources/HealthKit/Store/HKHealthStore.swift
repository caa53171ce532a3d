public import Foundation
import HealthStorage

/// The way to the health data: saves objects, executes queries. Safe to use from any thread; one instance for a
/// program is enough.
///
/// On Linux the data lie in one file, `$XDG_DATA_HOME/hrgate/health.sqlite` unless another is named, and a program is
/// known as the source whose bundle identifier is the name of its executable.
// @unchecked: open as Apple's class is, but its state is `let` and Sendable.
open class HKHealthStore: NSObject, @unchecked Sendable {
  let engine: StoreEngine
  /// Under which source objects are saved.
  let revision: HKSourceRevision
  let preferences = PreferenceFollower()

  private init(_ engine: StoreEngine, _ revision: HKSourceRevision) {
    self.engine = engine
    self.revision = revision
  }

  private static var thisProgram: HKSourceRevision { HKSourceRevision(source: .default(), version: nil) }

  /// The store of this user. It is opened at the first use; if that fails, the use fails with
  /// errorDatabaseInaccessible.
  public override init() {
    _ = ArchivedClasses.areKnownToFoundation
    engine = StoreEngine(path: StoreEngine.defaultPath)
    revision = Self.thisProgram
  }

  /// The store in a file of the caller's choice, made if it is not there. (Not in Apple's framework.)
  /// - Throws: `HKError`, errorDatabaseInaccessible, with the reason: not a health store, of a newer version, not
  ///   permitted.
  public convenience init(storeAt path: String) throws {
    do {
      self.init(StoreEngine(try SampleDatabase.open(at: path, .ofHealthKit)), Self.thisProgram)
    } catch {
      throw HKError(error)
    }
  }

  /// An empty store in memory, for tests. (Not in Apple's framework.)
  public static func inMemory() throws -> HKHealthStore {
    do {
      return HKHealthStore(StoreEngine(try SampleDatabase.inMemory(.ofHealthKit)), thisProgram)
    } catch {
      throw HKError(error)
    }
  }

  /// A handle on the same data that saves under another source, as the gateway does for each monitor.
  package func acting(as revision: HKSourceRevision) -> HKHealthStore {
    HKHealthStore(engine, revision)
  }

  package func acting(as source: HKSource) -> HKHealthStore {
    acting(as: HKSourceRevision(source: source, version: nil))
  }

  /// Always true here.
  open class func isHealthDataAvailable() -> Bool { true }

  /// Health records of institutions are not fetched here.
  open func supportsHealthRecords() -> Bool { false }

  /// There is no bound: the distant past.
  open func earliestPermittedSampleDate() -> Date { .distantPast }

  // MARK: - Queries

  /// Starts a query. Traps if it was executed before.
  open func execute(_ query: HKQuery) {
    query.start(in: self)
  }

  /// Ends a query: its handlers are called no more. Nothing happens if it is over already.
  open func stop(_ query: HKQuery) {
    query.stop()
  }

  // MARK: - Saving

  /// Saves objects under this program's source, all of them or none. When it returns they survive a crash and a
  /// power failure.
  ///
  /// An object with a sync identifier replaces the stored one of the same source and type if its sync version is
  /// greater; if not, the stored one stays, which is no error.
  /// - Throws: `HKError`: errorInvalidArgument if an object with the same UUID is stored already,
  ///   errorDatabaseInaccessible if the file cannot be written (full disk, no permission).
  open func save(_ objects: [HKObject]) async throws {
    do {
      _ = try await saveReporting(objects)
    } catch let duplicates as DuplicateObjects {
      throw HKError(
        .errorInvalidArgument,
        reason: "\(duplicates.uuids.count) object(s) with a UUID that is stored already")
    }
  }

  open func save(_ object: HKObject) async throws {
    try await save([object])
  }

  /// As `save(_:)`; the handler runs on a background queue.
  open func save(
    _ objects: [HKObject], withCompletion completion: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    report(to: completion) { try await self.save(objects) }
  }

  open func save(
    _ object: HKObject, withCompletion completion: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    save([object], withCompletion: completion)
  }

  // MARK: - Deleting

  /// Deletes objects that this program saved, all of them or none. What a correlation holds stays.
  /// - Throws: `HKError`, errorAuthorizationDenied if one of them is not stored, or is another source's.
  open func delete(_ objects: [HKObject]) async throws {
    try await remove(objects)
  }

  open func delete(_ object: HKObject) async throws {
    try await delete([object])
  }

  /// As `delete(_:)`; the handler runs on a background queue.
  open func delete(
    _ objects: [HKObject], withCompletion completion: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    report(to: completion) { try await self.delete(objects) }
  }

  open func delete(
    _ object: HKObject, withCompletion completion: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    delete([object], withCompletion: completion)
  }

  /// Deletes those of this program's objects of a type that match.
  /// - Returns: how many there were.
  @discardableResult
  open func deleteObjects(of objectType: HKObjectType, predicate: NSPredicate) async throws -> Int {
    try await remove(objectType, PredicateTranslation(predicate))
  }

  /// As `deleteObjects(of:predicate:)`; the handler runs on a background queue.
  open func deleteObjects(
    of objectType: HKObjectType, predicate: NSPredicate,
    withCompletion completion: @escaping @Sendable (Bool, Int, (any Error)?) -> Void
  ) {
    // The predicate must not cross threads; its translation may.
    let translation = PredicateTranslation(predicate)
    Task {
      do {
        completion(true, try await remove(objectType, translation), nil)
      } catch {
        completion(false, 0, error)
      }
    }
  }

  // MARK: - Authorization

  /// Whether this program may save a type. Nothing tells whether it may read one.
  ///
  /// As yet every type that programs can save is permitted.
  open func authorizationStatus(for type: HKObjectType) -> HKAuthorizationStatus {
    guard let type = type as? HKSampleType else { return .notDetermined }
    return type.isShareable ? .sharingAuthorized : .sharingDenied
  }

  /// Asks the user for permission. That it succeeds means that the question was put, not that anything was granted.
  ///
  /// As yet there is nobody to ask. Traps on types that cannot be asked for, as Apple's raises an exception: types that
  /// programs cannot save, and correlations, which are permitted with what they hold.
  open func requestAuthorization(
    toShare typesToShare: Set<HKSampleType>, read typesToRead: Set<HKObjectType>
  ) async throws {
    requiring(try AuthorizationRequest(share: typesToShare, read: typesToRead).check())
  }

  /// As the asynchronous form; the handler runs on a background queue.
  open func requestAuthorization(
    toShare typesToShare: Set<HKSampleType>?, read typesToRead: Set<HKObjectType>?,
    completion: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    report(to: completion) {
      try await self.requestAuthorization(toShare: typesToShare ?? [], read: typesToRead ?? [])
    }
  }

  /// Whether a request would show the user anything.
  open func statusForAuthorizationRequest(
    toShare typesToShare: Set<HKSampleType>, read typesToRead: Set<HKObjectType>
  ) async throws -> HKAuthorizationRequestStatus {
    requiring(try AuthorizationRequest(share: typesToShare, read: typesToRead).check())
    return .unnecessary
  }

  /// As `statusForAuthorizationRequest(toShare:read:)`; the handler runs on a background queue.
  open func getRequestStatusForAuthorization(
    toShare typesToShare: Set<HKSampleType>, read typesToRead: Set<HKObjectType>,
    completion: @escaping @Sendable (HKAuthorizationRequestStatus, (any Error)?) -> Void
  ) {
    Task {
      do {
        completion(
          try await statusForAuthorizationRequest(toShare: typesToShare, read: typesToRead), nil)
      } catch {
        completion(.unknown, error)
      }
    }
  }

  // MARK: - Characteristics

  // What the user entered about themselves. A value that is not set, or may not be read, is `notSet`; both look alike.

  /// - Throws: `HKError`: errorNoData if it is not set or may not be read, errorAuthorizationNotDetermined if the user was not
  ///   asked.
  open func dateOfBirthComponents() throws -> DateComponents {
    try birthday().dateComponents(in: Calendar(identifier: .gregorian))
  }

  /// As `dateOfBirthComponents()`: the beginning of the day in the current time zone.
  @available(*, deprecated, message: "use dateOfBirthComponents()")
  open func dateOfBirth() throws -> Date {
    let components = try dateOfBirthComponents()
    guard let date = components.date else { throw HKError(.errorNoData, reason: "No such day.") }
    return date
  }

  open func biologicalSex() throws -> HKBiologicalSexObject {
    HKBiologicalSexObject(try characteristic(.biologicalSex, as: HKBiologicalSex.self) ?? .notSet)
  }

  open func bloodType() throws -> HKBloodTypeObject {
    HKBloodTypeObject(try characteristic(.bloodType, as: HKBloodType.self) ?? .notSet)
  }

  open func fitzpatrickSkinType() throws -> HKFitzpatrickSkinTypeObject {
    HKFitzpatrickSkinTypeObject(
      try characteristic(.fitzpatrickSkinType, as: HKFitzpatrickSkinType.self) ?? .notSet)
  }

  open func wheelchairUse() throws -> HKWheelchairUseObject {
    HKWheelchairUseObject(try characteristic(.wheelchairUse, as: HKWheelchairUse.self) ?? .notSet)
  }

  /// Active energy where nothing is set.
  open func activityMoveMode() throws -> HKActivityMoveModeObject {
    HKActivityMoveModeObject(
      try characteristic(.activityMoveMode, as: HKActivityMoveMode.self) ?? .activeEnergy)
  }

  // MARK: - Preferred units

  /// The units in which the user wants to see values: those that they chose, else what is usual in their country.
  /// - Throws: `HKError`: errorAuthorizationNotDetermined if the user was not asked about one of the types.
  open func preferredUnits(for quantityTypes: Set<HKQuantityType>) async throws -> [HKQuantityType: HKUnit] {
    try await unitsPreferred(for: quantityTypes)
  }

  /// As `preferredUnits(for:)`; the handler runs on a background queue.
  open func preferredUnits(
    for quantityTypes: Set<HKQuantityType>,
    completion: @escaping @Sendable ([HKQuantityType: HKUnit], (any Error)?) -> Void
  ) {
    Task {
      do {
        completion(try await preferredUnits(for: quantityTypes), nil)
      } catch {
        completion([:], error)
      }
    }
  }

  /// A completion handler has no task to be a child of.
  private func report(
    to completion: @escaping @Sendable (Bool, (any Error)?) -> Void,
    _ work: @escaping @Sendable () async throws -> Void
  ) {
    Task {
      do {
        try await work()
        completion(true, nil)
      } catch {
        completion(false, error)
      }
    }
  }
}
