public import Foundation
import HealthStorage
import Synchronization

/// A builder that collects the data of a workout and saves it.
///
/// Call `beginCollection(at:)` first, then `endCollection(at:)`, then `finishWorkout()`. Calls in another
/// order, or after the workout was finished or discarded, throw errorInvalidArgument. If the process ends
/// before `finishWorkout()`, everything is lost except the samples, which are saved as soon as they are
/// added.
///
/// ```swift
/// let configuration = HKWorkoutConfiguration()
/// configuration.activityType = .running
/// let builder = HKWorkoutBuilder(healthStore: store, configuration: configuration, device: nil)
/// try await builder.beginCollection(at: start)
/// try await builder.addSamples(heartRates)
/// try await builder.endCollection(at: end)
/// let workout = try await builder.finishWorkout()
/// ```
// @unchecked: the class is open, like Apple's. All state is `let`, Sendable or in a Mutex.
open class HKWorkoutBuilder: NSObject, @unchecked Sendable {
  public let device: HKDevice?
  let store: HKHealthStore
  private let configuration: HKWorkoutConfiguration.Values
  private let building = Mutex(Building())

  private enum Phase {
    case collecting, finishing, over
  }

  private struct Building: Sendable {
    var phase = Phase.collecting
    var draft = WorkoutDraft()
    var route: HKWorkoutRouteBuilder?
    /// The statistics of the collected samples; nil if they must be recomputed because samples were added.
    var statistics: [HKQuantityType: HKStatistics]?
  }

  /// Creates a builder that saves into a store.
  /// - Parameters:
  ///   - configuration: Copied; later changes have no effect.
  ///   - device: The device that records the workout.
  public init(healthStore: HKHealthStore, configuration: HKWorkoutConfiguration, device: HKDevice?) {
    store = healthStore
    self.configuration = configuration.values
    self.device = device
  }

  // MARK: - Collected data

  /// The start of the collection; nil before it begins.
  public var startDate: Date? { draft.start }
  /// The end of the collection; nil before it ends.
  public var endDate: Date? { draft.end }
  /// A copy of the configuration. Changing it does not affect the builder.
  public var workoutConfiguration: HKWorkoutConfiguration { HKWorkoutConfiguration(configuration) }
  /// The metadata. Values are String, NSNumber, Date or HKQuantity.
  public var metadata: [String: Any] { draft.metadata.mapValues(\.object) }
  /// The events in chronological order.
  public var workoutEvents: [HKWorkoutEvent] { draft.events }
  /// The activities in the order in which they were added.
  public var workoutActivities: [HKWorkoutActivity] { draft.activities }

  /// The statistics of the added samples.
  public var allStatistics: [HKQuantityType: HKStatistics] {
    building.withLock { building in
      let statistics = building.statistics ?? building.draft.quantities.allStatistics
      building.statistics = statistics
      return statistics
    }
  }

  /// Returns the statistics of the added samples of a type, or nil if there are none.
  public func statistics(for quantityType: HKQuantityType) -> HKStatistics? { allStatistics[quantityType] }

  /// Returns the duration of the workout up to a date, in seconds and without pauses.
  public func elapsedTime(at date: Date) -> TimeInterval { draft.elapsedTime(at: date) }

  /// Returns a builder for a series that is saved with the workout, or nil if the series type is not
  /// supported.
  ///
  /// Only routes are supported. (In Apple's framework, a heartbeat series needs a live session.)
  public func seriesBuilder(for seriesType: HKSeriesType) -> HKSeriesBuilder? {
    guard seriesType == .workoutRoute() else { return nil }
    return building.withLock { building in
      // If collecting has ended, do not create a route builder: its route would not be saved with the
      // workout.
      guard building.phase == .collecting else { return building.route }
      let route = building.route ?? HKWorkoutRouteBuilder(store, device, belongsToWorkoutBuilder: true)
      building.route = route
      return route
    }
  }

  // MARK: - Collecting

  /// Starts the collection. Samples, events and activities can then be added.
  public func beginCollection(at start: Date) async throws {
    try begin(at: start)
  }

  /// Ends the collection.
  /// - Parameter end: Must not be before the start, or before the end of any event or activity.
  public func endCollection(at end: Date) async throws {
    try change { draft throws(HKError) in try draft.end(at: end) }
  }

  /// Adds samples, and saves the ones that are not stored yet. Discarding the workout does not delete them.
  /// - Parameter samples: Must not start before the workout.
  /// - Throws: `HKError` errorInvalidArgument if a sample starts before the workout; otherwise the errors of
  ///   `HKHealthStore.save(_:)`.
  public func addSamples(_ samples: [HKSample]) async throws {
    try change { draft throws(HKError) in try draft.check(samples) }
    let saved = try await store.saveMissing(samples)
    try await add(stored: saved.effective)
    if saved.hasReplaced { try await readAgain() }
  }

  /// Adds metadata. If a key is added twice, the later value wins. If an error is thrown, the metadata is
  /// unchanged.
  public func addMetadata(_ metadata: [String: Any]) async throws {
    try add(metadata)
  }

  /// Adds events.
  /// - Parameter workoutEvents: Must be within the workout. The first event of a workout must not be a
  ///   resume.
  public func addWorkoutEvents(_ workoutEvents: [HKWorkoutEvent]) async throws {
    try change { draft throws(HKError) in try draft.add(workoutEvents) }
  }

  /// Adds an activity.
  /// - Parameter workoutActivity: Must be within the workout. An activity without an end ends with the
  ///   workout.
  public func addWorkoutActivity(_ workoutActivity: HKWorkoutActivity) async throws {
    try change { draft throws(HKError) in try draft.add(workoutActivity) }
  }

  /// Sets the end of an added activity.
  public func updateActivity(uuid: UUID, end: Date) async throws {
    try change { draft throws(HKError) in try draft.update(uuid, end: end) }
  }

  /// Adds metadata to an added activity.
  public func updateActivity(uuid: UUID, adding metadata: [String: Any]) async throws {
    try update(uuid, metadata)
  }

  // MARK: - Finishing

  /// Saves the workout and associates the samples and the route with it. If that fails, the builder is
  /// unchanged.
  /// - Returns: The saved workout. If the same or a newer version of the workout was already stored, the
  ///   samples are associated with the stored version, which is returned. Never nil here; Apple's framework
  ///   returns nil while the device is locked.
  @discardableResult
  public func finishWorkout() async throws -> HKWorkout? {
    // First add samples that were stored late. Once the phase is `finishing`, samples cannot be added.
    if draft.end != nil { try await collectRest() }
    let (draft, routeBuilder) = try building.withLock { building throws(HKError) in
      try Self.check(building)
      building.phase = .finishing
      return (building.draft, building.route)
    }
    do {
      // Reread the quantities, because samples may have been replaced or deleted since they were added.
      let quantities = WorkoutQuantities(try await store.quantities(of: draft.members))
      let workout = try draft.workout(configuration, device, WorkoutTotals(quantities))
      let route = try routeBuilder?.beginFinishing()
      // Leave out samples that the program is no longer allowed to read. Otherwise the workout could not be
      // saved after the user revoked a permission.
      let effective = try await store.save(
        [workout] + (route.map { [$0] } ?? []), associating: draft.members + (route.map { [$0.uuid] } ?? []),
        with: workout, leavingOutHidden: true)
      workout.take(quantities)
      end()
      guard effective != workout.uuid else { return workout }
      // If the program may not read workouts, return the workout that was saved.
      return (try? await store.workout(effective)) ?? workout
    } catch {
      routeBuilder?.finishFailed()
      building.withLock { if $0.phase == .finishing { $0.phase = .collecting } }
      throw error
    }
  }

  /// Discards the workout. Samples that were added remain in the store.
  public func discardWorkout() {
    end()
  }

  // MARK: - Samples

  /// The UUIDs of the samples that were added.
  var members: Set<UUID> { draft.known }

  /// Adds samples that are already stored. Samples that were deleted in the meantime are not saved again.
  func add(stored samples: [UUID]) async throws {
    var isAdded = false
    while !isAdded {
      let known = members
      var seen: Set<UUID> = []
      let new = samples.filter { !known.contains($0) && seen.insert($0).inserted }
      let quantities = try await store.quantities(of: new)
      // Retry if another task has added one of these samples in the meantime, so that no sample counts twice.
      isAdded = try building.withLock { building throws(HKError) in
        try Self.check(building)
        building.statistics = nil
        return building.draft.add(new, quantities)
      }
    }
  }

  /// Rereads the quantities of all samples after some were replaced or deleted.
  func readAgain() async throws {
    var isRead = false
    while !isRead {
      let members = draft.members
      let quantities = try await store.quantities(of: members)
      isRead = try building.withLock { building throws(HKError) in
        try Self.check(building)
        building.statistics = nil
        return building.draft.replace(quantities, ofFirst: members.count)
      }
    }
  }

  // MARK: - Internals

  func begin(at start: Date) throws(HKError) {
    try change { draft throws(HKError) in try draft.begin(at: start) }
    collectionBegan()
  }

  /// Whether values can be added: the workout is not finished, discarded or being saved.
  var isCollecting: Bool { building.withLock { $0.phase == .collecting } }

  /// Called when the collection begins. The live builder overrides it.
  func collectionBegan() {}
  /// Called before the workout is created, when its end is known. The live builder overrides it.
  func collectRest() async throws {}
  /// Called after the workout was finished or discarded. The live builder overrides it.
  func collectionIsOver() {}

  private var draft: WorkoutDraft { building.withLock { $0.draft } }

  private func end() {
    let route = building.withLock { building in
      building.phase = .over
      return building.route
    }
    route?.discard()
    collectionIsOver()
  }

  func change(_ body: (inout WorkoutDraft) throws(HKError) -> Void) throws(HKError) {
    try building.withLock { building throws(HKError) in
      try Self.check(building)
      try body(&building.draft)
    }
  }

  func add(_ metadata: [String: Any]) throws(HKError) {
    let values = try MetadataValue.values(metadata)
    try change { draft throws(HKError) in try draft.add(values) }
  }

  func update(_ activity: UUID, _ metadata: [String: Any]) throws(HKError) {
    let values = try MetadataValue.values(metadata)
    try change { draft throws(HKError) in try draft.update(activity, adding: values) }
  }

  private static func check(_ building: Building) throws(HKError) {
    guard building.phase == .collecting else {
      throw WorkoutDraft.refusal("the workout was finished or discarded")
    }
  }
}

extension HKHealthStore {
  /// Returns a stored workout, or nil if it was deleted.
  fileprivate func workout(_ uuid: UUID) async throws -> HKWorkout? {
    let filter = SampleFilter.uuids([uuid])
    return try await fold(
      into: nil, SampleRequest(types: [.workoutType()], filter: filter), order: [], limit: 1
    ) { $0 = $1 as? HKWorkout }
  }
}
