public import Foundation
import HealthStorage

/// A store of health data, which saves objects and executes queries. It can be used from any thread, and a
/// program needs only one instance.
///
/// The data is in one file: `$XDG_DATA_HOME/hrgate/health.sqlite`, unless another location is configured or
/// `HRGATE_PERSON` names a person whose store this user keeps (`hrgate people`). A program is identified by
/// the `Info.plist` and the entitlements next to its executable (``Application/main()``). The user decides
/// what it may save and read when the program asks, and can change the decision at any time.
// @unchecked: the class is open, like Apple's. All state is `let` and Sendable.
open class HKHealthStore: NSObject, @unchecked Sendable {
  let engine: StoreEngine
  /// The source revision under which objects are saved.
  let revision: HKSourceRevision
  let preferences = PreferenceFollower()
  let authority: Authority

  init(_ engine: StoreEngine, _ revision: HKSourceRevision, _ authority: Authority) {
    self.engine = engine
    self.revision = revision
    self.authority = authority
  }

  /// Creates a handle on this user's store. The user decides what this program may do.
  ///
  /// The store is opened on first use. If that fails, for example because `HRGATE_PERSON` names an unknown
  /// person, that use throws errorDatabaseInaccessible. Every use throws errorAuthorizationDenied if the
  /// program has no entitlement, and errorInvalidArgument if its description is damaged.
  public override init() {
    // Register Apple's class names, in case the program decodes archives with Foundation.
    _ = ArchivedClasses.areKnownToFoundation
    engine = StoreEngine(in: .user)
    switch Application.this {
    case .success(let application):
      revision = application.revision
      authority = .application(application, .user)
    case .failure(let error):
      revision = HKSourceRevision(source: .default(), version: nil)
      authority = .unknown(error)
    }
  }

  /// Returns true: health data is always available on Linux.
  open class func isHealthDataAvailable() -> Bool { true }

  /// Returns false: health records of institutions are not fetched.
  open func supportsHealthRecords() -> Bool { false }

  /// Returns `distantPast`: there is no lower limit.
  open func earliestPermittedSampleDate() -> Date { .distantPast }

  // MARK: - Queries

  /// Starts a query. Traps if the query was executed before.
  open func execute(_ query: HKQuery) {
    query.start(in: self)
  }

  /// Stops a query: its handlers are no longer called. Has no effect if the query has ended or has not been
  /// executed.
  open func stop(_ query: HKQuery) {
    query.stop()
  }

  // MARK: - Saving

  /// Saves objects under this program's source, in one transaction. Once it returns, they survive a crash or
  /// a power failure.
  ///
  /// An object with a sync identifier replaces the stored one of the same source and type if its sync version
  /// is higher. Otherwise the stored object is kept, without an error.
  /// - Throws: `HKError` errorInvalidArgument if an object with the same UUID is stored;
  ///   errorDatabaseInaccessible if the file cannot be written (disk full, no permission).
  open func save(_ objects: [HKObject]) async throws {
    do {
      _ = try await saveReporting(objects)
    } catch let duplicates as DuplicateObjectsError {
      throw HKError(
        .errorInvalidArgument,
        reason: "the store already has \(duplicates.uuids.count) of the objects (same UUID)")
    }
  }

  open func save(_ object: HKObject) async throws {
    try await save([object])
  }

  /// Completion-handler version of `save(_:)`. The handler runs on a background queue.
  @preconcurrency
  open func save(
    _ objects: [HKObject], withCompletion completion: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    report(to: completion) { try await self.save(objects) }
  }

  @preconcurrency
  open func save(
    _ object: HKObject, withCompletion completion: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    save([object], withCompletion: completion)
  }

  // MARK: - Workouts

  /// Associates samples with a workout, in one transaction. Samples that are not stored yet are saved,
  /// without their devices.
  /// - Parameter workout: A workout that is already stored.
  /// - Throws: `HKError` errorInvalidArgument if the workout is not stored; otherwise the errors of
  ///   `save(_:)`.
  open func addSamples(_ samples: [HKSample], to workout: HKWorkout) async throws {
    try await associate(samples, with: workout)
  }

  /// Completion-handler version of `addSamples(_:to:)`. The handler runs on a background queue.
  @preconcurrency
  open func add(
    _ samples: [HKSample], to workout: HKWorkout,
    completion: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    report(to: completion) { try await self.addSamples(samples, to: workout) }
  }

  // MARK: - Deleting

  /// Deletes objects that this program saved, in one transaction. If a correlation is deleted, its samples
  /// are kept.
  /// - Throws: `HKError` errorAuthorizationDenied if an object is not stored or belongs to another source.
  open func delete(_ objects: [HKObject]) async throws {
    try await remove(objects)
  }

  open func delete(_ object: HKObject) async throws {
    try await delete([object])
  }

  /// Completion-handler version of `delete(_:)`. The handler runs on a background queue.
  @preconcurrency
  open func delete(
    _ objects: [HKObject], withCompletion completion: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    report(to: completion) { try await self.delete(objects) }
  }

  @preconcurrency
  open func delete(
    _ object: HKObject, withCompletion completion: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    delete([object], withCompletion: completion)
  }

  /// Deletes the matching objects of a type that this program saved.
  /// - Returns: The number of deleted objects.
  @discardableResult
  open func deleteObjects(of objectType: HKObjectType, predicate: NSPredicate) async throws -> Int {
    try await remove(objectType, PredicateTranslation(predicate))
  }

  /// Completion-handler version of `deleteObjects(of:predicate:)`. The handler runs on a background queue.
  @preconcurrency
  open func deleteObjects(
    of objectType: HKObjectType, predicate: NSPredicate,
    withCompletion completion: @escaping @Sendable (Bool, Int, (any Error)?) -> Void
  ) {
    // Translate the predicate first, because NSPredicate is not Sendable.
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

  /// Returns whether the program may save a type; `.notDetermined` before the user has been asked. Read
  /// permission is not disclosed.
  open func authorizationStatus(for type: HKObjectType) -> HKAuthorizationStatus {
    sharingStatus(of: type)
  }

  /// Requests permission for the types that the user has not decided on. Returns immediately if there are
  /// none.
  ///
  /// Returning without an error means that the user answered, not that anything was granted. Canceling the
  /// task withdraws the request.
  ///
  /// Traps (Apple's method raises an exception) on types that cannot be requested: read-only types in
  /// `typesToShare`, types with permission for each object, and correlations, whose samples are requested
  /// instead. Also traps if the program lacks `NSHealthShareUsageDescription` for reading or
  /// `NSHealthUpdateUsageDescription` for saving.
  /// - Throws: `HKError` errorInvalidArgument if both sets are empty; errorUserCanceled if the user dismissed
  ///   the request; errorRequiredAuthorizationDenied if the user denied reading a type that the program
  ///   declares as required; errorAuthorizationDenied without the entitlement.
  open func requestAuthorization(
    toShare typesToShare: Set<HKSampleType>, read typesToRead: Set<HKObjectType>
  ) async throws {
    try await authorize(AuthorizationRequest(share: typesToShare, read: typesToRead))
  }

  /// Completion-handler version of `requestAuthorization(toShare:read:)`. The handler runs on a background
  /// queue.
  @preconcurrency
  open func requestAuthorization(
    toShare typesToShare: Set<HKSampleType>?, read typesToRead: Set<HKObjectType>?,
    completion: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    report(to: completion) {
      try await self.requestAuthorization(toShare: typesToShare ?? [], read: typesToRead ?? [])
    }
  }

  /// Requests permission to read matching objects of a type with permission for each object. The user is
  /// asked each time, unless no other source saved such an object.
  ///
  /// Traps on any other type, and without `NSHealthShareUsageDescription`.
  /// - Throws: The errors of `requestAuthorization(toShare:read:)`.
  open func requestPerObjectReadAuthorization(
    for objectType: HKObjectType, predicate: NSPredicate?
  ) async throws {
    try await authorizeObjects(of: objectType, predicate.map(PredicateTranslation.init))
  }

  /// Completion-handler version of `requestPerObjectReadAuthorization(for:predicate:)`. The handler runs on a
  /// background queue.
  @preconcurrency
  open func requestPerObjectReadAuthorization(
    for objectType: HKObjectType, predicate: NSPredicate?,
    completion: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    // Translate the predicate first, because NSPredicate is not Sendable.
    let translation = predicate.map(PredicateTranslation.init)
    report(to: completion) { try await self.authorizeObjects(of: objectType, translation) }
  }

  /// Waits until the user has answered the requests of this program's other processes. On Apple's systems,
  /// these would be extensions. If the program decides by a closure, the closure is called.
  open func handleAuthorizationForExtension() async throws {
    try await settlePendingRequests()
  }

  /// Completion-handler version of `handleAuthorizationForExtension()`. The handler runs on a background
  /// queue.
  @preconcurrency
  open func handleAuthorizationForExtension(
    completion: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    report(to: completion) { try await self.handleAuthorizationForExtension() }
  }

  /// Returns whether a request would prompt the user. Does not disclose what was granted.
  /// - Throws: The errors of `requestAuthorization(toShare:read:)`, without asking the user.
  open func statusForAuthorizationRequest(
    toShare typesToShare: Set<HKSampleType>, read typesToRead: Set<HKObjectType>
  ) async throws -> HKAuthorizationRequestStatus {
    try await status(of: AuthorizationRequest(share: typesToShare, read: typesToRead))
  }

  /// Completion-handler version of `statusForAuthorizationRequest(toShare:read:)`. The handler runs on a
  /// background queue.
  @preconcurrency
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

  // MARK: - Background delivery

  /// Lets this program be started when samples of a type are saved or deleted while it is not running.
  ///
  /// `hrgate deliver` starts its executable, or the systemd user unit that its `Info.plist` names
  /// (`HRGBackgroundUnit`). The program then executes an ``HKObserverQuery``, whose completion handler
  /// acknowledges the changes. After three starts without an acknowledgment, it is no longer started.
  /// - Parameter frequency: The maximum frequency of starts. For step counts it is at most hourly.
  /// - Throws: `HKError` errorAuthorizationDenied without the entitlement; errorInvalidArgument for
  ///   correlations and types that are not sample types.
  open func enableBackgroundDelivery(
    for type: HKObjectType, frequency: HKUpdateFrequency
  ) async throws {
    try await startDelivery(of: type, frequency)
  }

  /// Completion-handler version of `enableBackgroundDelivery(for:frequency:)`. The handler runs on a
  /// background queue.
  @preconcurrency
  open func enableBackgroundDelivery(
    for type: HKObjectType, frequency: HKUpdateFrequency,
    withCompletion completion: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    report(to: completion) { try await self.enableBackgroundDelivery(for: type, frequency: frequency) }
  }

  /// Disables background delivery for a type.
  open func disableBackgroundDelivery(for type: HKObjectType) async throws {
    try await endDelivery(of: type)
  }

  /// Completion-handler version of `disableBackgroundDelivery(for:)`. The handler runs on a
  /// background queue.
  @preconcurrency
  open func disableBackgroundDelivery(
    for type: HKObjectType, withCompletion completion: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    report(to: completion) { try await self.disableBackgroundDelivery(for: type) }
  }

  /// Disables background delivery for all types.
  open func disableAllBackgroundDelivery() async throws {
    try await endDelivery(of: nil)
  }

  /// Completion-handler version of `disableAllBackgroundDelivery()`. The handler runs on a background queue.
  @preconcurrency
  open func disableAllBackgroundDelivery(
    completion: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    report(to: completion) { try await self.disableAllBackgroundDelivery() }
  }

  // MARK: - Characteristics

  // Facts that the user entered about themselves. `notSet` means that there is no value or that it may not be
  // read.

  /// Returns the user's date of birth.
  /// - Throws: `HKError` errorNoData if it is not set or may not be read; errorAuthorizationNotDetermined if
  ///   the program did not request it.
  open func dateOfBirthComponents() throws -> DateComponents {
    try birthday().dateComponents(in: Calendar(identifier: .gregorian))
  }

  /// Returns the start of the day of birth in the current time zone. See `dateOfBirthComponents()`.
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

  /// Returns the move mode; active energy if none is set.
  open func activityMoveMode() throws -> HKActivityMoveModeObject {
    HKActivityMoveModeObject(
      try characteristic(.activityMoveMode, as: HKActivityMoveMode.self) ?? .activeEnergy)
  }

  // MARK: - Preferred units

  /// Returns the units in which the user wants to see values: the chosen unit, or the usual one in their
  /// country.
  /// - Throws: `HKError` errorAuthorizationNotDetermined if the program did not request one of the types.
  open func preferredUnits(for quantityTypes: Set<HKQuantityType>) async throws -> [HKQuantityType: HKUnit] {
    try await unitsPreferred(for: quantityTypes)
  }

  /// Completion-handler version of `preferredUnits(for:)`. The handler runs on a background queue.
  @preconcurrency
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
}
