public import Foundation
import HealthStorage

/// The way to the health data: saves objects, executes queries. Safe to use from any thread; one instance for
/// a program is enough.
///
/// On Linux the data lie in one file, `$XDG_DATA_HOME/hrgate/health.sqlite` unless another is named or
/// `HRGATE_PERSON` names a person whose store this user keeps (`hrgate people`). A program is known by the
/// `Info.plist` and the entitlements beside its executable (``Application/main()``). The user decides what it
/// may save and read, when it asks and at any time after.
// @unchecked: open as Apple's class is, but its state is `let` and Sendable.
open class HKHealthStore: NSObject, @unchecked Sendable {
  let engine: StoreEngine
  /// Under which source objects are saved.
  let revision: HKSourceRevision
  let preferences = PreferenceFollower()
  let authority: Authority

  init(_ engine: StoreEngine, _ revision: HKSourceRevision, _ authority: Authority) {
    self.engine = engine
    self.revision = revision
    self.authority = authority
  }

  /// The store of this user, who decides what this program may do. It is opened at the first use; if that
  /// fails, as where there is no person that `HRGATE_PERSON` names, the use fails with
  /// errorDatabaseInaccessible. If the program has no entitlement, every use fails
  /// with errorAuthorizationDenied; if what describes it is damaged, with errorInvalidArgument.
  public override init() {
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

  /// Ends a query: its handlers are no longer called. Nothing happens if it has ended, or was not executed.
  open func stop(_ query: HKQuery) {
    query.stop()
  }

  // MARK: - Saving

  /// Saves objects under this program's source, all of them or none. When it returns they survive a crash and
  /// a power failure.
  ///
  /// An object with a sync identifier replaces the stored one of the same source and type if its sync version
  /// is greater; if not, the stored one stays, which is no error.
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

  /// Makes samples belong to a workout, all of them or none. Those that are not stored yet are saved with it,
  /// without their devices.
  /// - Parameter workout: stored already.
  /// - Throws: `HKError`, errorInvalidArgument if the workout is not stored; otherwise as `save(_:)`.
  open func addSamples(_ samples: [HKSample], to workout: HKWorkout) async throws {
    try await associate(samples, with: workout)
  }

  /// As `addSamples(_:to:)`; the handler runs on a background queue.
  @preconcurrency
  open func add(
    _ samples: [HKSample], to workout: HKWorkout,
    completion: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    report(to: completion) { try await self.addSamples(samples, to: workout) }
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

  /// Deletes those of this program's objects of a type that match.
  /// - Returns: how many there were.
  @discardableResult
  open func deleteObjects(of objectType: HKObjectType, predicate: NSPredicate) async throws -> Int {
    try await remove(objectType, PredicateTranslation(predicate))
  }

  /// As `deleteObjects(of:predicate:)`; the handler runs on a background queue.
  @preconcurrency
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

  /// Whether this program may save a type: notDetermined while the user has not been asked. Nothing tells
  /// whether it may read one.
  open func authorizationStatus(for type: HKObjectType) -> HKAuthorizationStatus {
    sharingStatus(of: type)
  }

  /// Asks the user for permission, on the types that they have not decided yet; if there are none, returns at
  /// once. Success means that the question was answered, not that anything was granted. Cancelling the task
  /// takes the question back.
  ///
  /// Traps as Apple's raises an exception: on types that cannot be asked for, which are types that programs
  /// cannot save, types permitted object by object, and correlations, which are permitted with what they
  /// hold; and if the program has no `NSHealthShareUsageDescription` for what it wants to read, or no
  /// `NSHealthUpdateUsageDescription` for what it wants to save.
  /// - Throws: `HKError`: errorInvalidArgument if both sets are empty, errorUserCanceled if the user would
  ///   not decide, errorRequiredAuthorizationDenied if they do not let a type be read that the program says
  ///   it requires, errorAuthorizationDenied without the entitlement.
  open func requestAuthorization(
    toShare typesToShare: Set<HKSampleType>, read typesToRead: Set<HKObjectType>
  ) async throws {
    try await authorize(AuthorizationRequest(share: typesToShare, read: typesToRead))
  }

  /// As the asynchronous form; the handler runs on a background queue.
  @preconcurrency
  open func requestAuthorization(
    toShare typesToShare: Set<HKSampleType>?, read typesToRead: Set<HKObjectType>?,
    completion: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    report(to: completion) {
      try await self.requestAuthorization(toShare: typesToShare ?? [], read: typesToRead ?? [])
    }
  }

  /// Asks the user which of the matching objects this program may read, of a type that is permitted object by
  /// object. They are asked each time, unless there is no such object that another source saved.
  ///
  /// Traps on any other type, and without `NSHealthShareUsageDescription`.
  /// - Throws: as `requestAuthorization(toShare:read:)`.
  open func requestPerObjectReadAuthorization(
    for objectType: HKObjectType, predicate: NSPredicate?
  ) async throws {
    try await authorizeObjects(of: objectType, predicate.map(PredicateTranslation.init))
  }

  /// As the asynchronous form; the handler runs on a background queue.
  @preconcurrency
  open func requestPerObjectReadAuthorization(
    for objectType: HKObjectType, predicate: NSPredicate?,
    completion: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    // The predicate must not cross threads; its translation may.
    let translation = predicate.map(PredicateTranslation.init)
    report(to: completion) { try await self.authorizeObjects(of: objectType, translation) }
  }

  /// Waits until the user has answered what this application asks from another of its processes, which on
  /// Linux is what an extension is. If the application decides itself, it is asked.
  open func handleAuthorizationForExtension() async throws {
    try await settlePendingRequests()
  }

  /// As the asynchronous form; the handler runs on a background queue.
  @preconcurrency
  open func handleAuthorizationForExtension(
    completion: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    report(to: completion) { try await self.handleAuthorizationForExtension() }
  }

  /// Whether a request would show the user anything. It says nothing of what they granted.
  /// - Throws: as `requestAuthorization(toShare:read:)`, but asks nobody.
  open func statusForAuthorizationRequest(
    toShare typesToShare: Set<HKSampleType>, read typesToRead: Set<HKObjectType>
  ) async throws -> HKAuthorizationRequestStatus {
    try await status(of: AuthorizationRequest(share: typesToShare, read: typesToRead))
  }

  /// As `statusForAuthorizationRequest(toShare:read:)`; the handler runs on a background queue.
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

  /// Has this program started when samples of a type are saved or deleted while it does not run.
  /// `hrgate deliver` starts its executable, or the systemd user unit that its `Info.plist` names
  /// (`HRGBackgroundUnit`). Once started, it executes an ``HKObserverQuery``, whose completion handler
  /// acknowledges what is new. After three starts without that it is no longer started.
  /// - Parameter frequency: how often at most. Steps come hourly at most.
  /// - Throws: `HKError`: errorAuthorizationDenied without the entitlement, errorInvalidArgument for
  ///   correlations and what is no sample.
  open func enableBackgroundDelivery(
    for type: HKObjectType, frequency: HKUpdateFrequency
  ) async throws {
    try await startDelivery(of: type, frequency)
  }

  /// As `enableBackgroundDelivery(for:frequency:)`; the handler runs on a background queue.
  @preconcurrency
  open func enableBackgroundDelivery(
    for type: HKObjectType, frequency: HKUpdateFrequency,
    withCompletion completion: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    report(to: completion) { try await self.enableBackgroundDelivery(for: type, frequency: frequency) }
  }

  open func disableBackgroundDelivery(for type: HKObjectType) async throws {
    try await endDelivery(of: type)
  }

  /// As `disableBackgroundDelivery(for:)`; the handler runs on a background queue.
  @preconcurrency
  open func disableBackgroundDelivery(
    for type: HKObjectType, withCompletion completion: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    report(to: completion) { try await self.disableBackgroundDelivery(for: type) }
  }

  open func disableAllBackgroundDelivery() async throws {
    try await endDelivery(of: nil)
  }

  /// As `disableAllBackgroundDelivery()`; the handler runs on a background queue.
  @preconcurrency
  open func disableAllBackgroundDelivery(
    completion: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    report(to: completion) { try await self.disableAllBackgroundDelivery() }
  }

  // MARK: - Characteristics

  // What the user entered about themselves. A value that is not set, or may not be read, is `notSet`; both
  // look alike.

  /// - Throws: `HKError`: errorNoData if it is not set or may not be read, errorAuthorizationNotDetermined if
  ///   the user was not asked.
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

  /// The units in which the user wants to see values: those that they chose, else what is usual in their
  /// country.
  /// - Throws: `HKError`: errorAuthorizationNotDetermined if the user was not asked about one of the types.
  open func preferredUnits(for quantityTypes: Set<HKQuantityType>) async throws -> [HKQuantityType: HKUnit] {
    try await unitsPreferred(for: quantityTypes)
  }

  /// As `preferredUnits(for:)`; the handler runs on a background queue.
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

  /// A completion handler has no task to be a child of.
  func report(
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
