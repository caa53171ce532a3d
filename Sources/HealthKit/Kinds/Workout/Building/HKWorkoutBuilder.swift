public import Foundation
import HealthStorage
import Synchronization

/// Makes a workout of what is collected while it goes on, and saves it.
///
/// `beginCollection(at:)` comes first, `endCollection(at:)` before `finishWorkout()`. What is asked of the
/// builder out of this order, or after it was finished or discarded, fails with errorInvalidArgument. What is
/// not finished is lost when the process ends, but for the samples, which are saved when they are added.
// @unchecked: open as Apple's class is, but its state is `let`, Sendable or in a Mutex.
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
    /// What was worked out since the last sample was added.
    var statistics: [HKQuantityType: HKStatistics]?
  }

  /// - Parameters:
  ///   - configuration: as it is now.
  ///   - device: what the workout is recorded with.
  public init(healthStore: HKHealthStore, configuration: HKWorkoutConfiguration, device: HKDevice?) {
    store = healthStore
    self.configuration = configuration.values
    self.device = device
  }

  // MARK: - What was collected

  /// nil before the collection begins.
  public var startDate: Date? { draft.start }
  /// nil before the collection ends.
  public var endDate: Date? { draft.end }
  /// A copy: changing it changes nothing here.
  public var workoutConfiguration: HKWorkoutConfiguration { HKWorkoutConfiguration(configuration) }
  /// Values are String, NSNumber, Date or HKQuantity.
  public var metadata: [String: Any] { draft.metadata.mapValues(\.object) }
  /// In order of time.
  public var workoutEvents: [HKWorkoutEvent] { draft.events }
  /// In the order in which they were added.
  public var workoutActivities: [HKWorkoutActivity] { draft.activities }

  /// Of the samples that were added.
  public var allStatistics: [HKQuantityType: HKStatistics] {
    building.withLock { building in
      let statistics = building.statistics ?? building.draft.quantities.allStatistics
      building.statistics = statistics
      return statistics
    }
  }

  /// nil without samples of the type.
  public func statistics(for quantityType: HKQuantityType) -> HKStatistics? { allStatistics[quantityType] }

  /// How long the workout has lasted at a date, in seconds, without pauses.
  public func elapsedTime(at date: Date) -> TimeInterval { draft.elapsedTime(at: date) }

  /// Gathers a series that is to belong to the workout, and that is saved with it. There is one for the
  /// route; heartbeats need a live session.
  public func seriesBuilder(for seriesType: HKSeriesType) -> HKSeriesBuilder? {
    guard seriesType == .workoutRoute() else { return nil }
    return building.withLock { building in
      // One that is made now would not be saved.
      guard building.phase == .collecting else { return building.route }
      let route = building.route ?? HKWorkoutRouteBuilder(store, device, belongsToWorkoutBuilder: true)
      building.route = route
      return route
    }
  }

  // MARK: - Collecting

  public func beginCollection(at start: Date) async throws {
    try begin(at: start)
  }

  /// - Parameter end: not before the start, nor before any event or activity ends.
  public func endCollection(at end: Date) async throws {
    try change { draft throws(HKError) in try draft.end(at: end) }
  }

  /// Adds samples, and saves those that are not stored yet. They stay in the store if the workout is
  /// discarded.
  /// - Parameter samples: none may begin before the workout does.
  /// - Throws: `HKError`; otherwise as `HKHealthStore.save(_:)`.
  public func addSamples(_ samples: [HKSample]) async throws {
    try change { draft throws(HKError) in try draft.check(samples) }
    let saved = try await store.saveMissing(samples)
    try await add(stored: saved.effective)
    if saved.hasReplaced { try await readAgain() }
  }

  /// Adds to the metadata; of a key that is given twice the later value counts. After an error the metadata
  /// is as it was.
  public func addMetadata(_ metadata: [String: Any]) async throws {
    try add(metadata)
  }

  /// - Parameter workoutEvents: within the workout, and not beginning with a resume.
  public func addWorkoutEvents(_ workoutEvents: [HKWorkoutEvent]) async throws {
    try change { draft throws(HKError) in try draft.add(workoutEvents) }
  }

  /// - Parameter workoutActivity: within the workout. One without an end ends with the workout.
  public func addWorkoutActivity(_ workoutActivity: HKWorkoutActivity) async throws {
    try change { draft throws(HKError) in try draft.add(workoutActivity) }
  }

  /// Ends an activity that was added.
  public func updateActivity(uuid: UUID, end: Date) async throws {
    try change { draft throws(HKError) in try draft.update(uuid, end: end) }
  }

  /// Adds to the metadata of an activity that was added.
  public func updateActivity(uuid: UUID, adding metadata: [String: Any]) async throws {
    try update(uuid, metadata)
  }

  // MARK: - Finishing

  /// Saves the workout, to which the samples and the route belong from then on. After an error the builder is
  /// as it was.
  /// - Returns: the workout; where this or a greater version of it was stored already, that one, to which the
  ///   samples belong now. (Apple's answers nil where the device is locked; here there always is one.)
  @discardableResult
  public func finishWorkout() async throws -> HKWorkout? {
    if draft.end != nil { try await collectRest() }
    let (draft, routeBuilder) = try building.withLock { building throws(HKError) in
      try Self.check(building)
      building.phase = .finishing
      return (building.draft, building.route)
    }
    do {
      // As the store has them now: some may have been replaced or deleted since they were added.
      let quantities = WorkoutQuantities(try await store.quantities(of: draft.members))
      let workout = try draft.workout(configuration, device, WorkoutTotals(quantities))
      let route = try routeBuilder?.beginFinishing()
      // A workout is not to be lost because the user revoked the reading of what was added.
      let effective = try await store.save(
        [workout] + (route.map { [$0] } ?? []), associating: draft.members + (route.map { [$0.uuid] } ?? []),
        with: workout, leavingOutHidden: true)
      workout.take(quantities)
      end()
      guard effective != workout.uuid else { return workout }
      // Who may save workouts need not have asked to read them.
      return (try? await store.workout(effective)) ?? workout
    } catch {
      routeBuilder?.finishFailed()
      building.withLock { if $0.phase == .finishing { $0.phase = .collecting } }
      throw error
    }
  }

  /// Gives the workout up. Samples that were added stay in the store.
  public func discardWorkout() {
    end()
  }

  // MARK: - Members

  /// The UUIDs of the samples that were added.
  var members: Set<UUID> { draft.known }

  /// Adds samples that are stored, and saves none: what was deleted meanwhile does not come back.
  func add(stored samples: [UUID]) async throws {
    var isAdded = false
    while !isAdded {
      let known = members
      var seen: Set<UUID> = []
      let new = samples.filter { !known.contains($0) && seen.insert($0).inserted }
      let quantities = try await store.quantities(of: new)
      // Again if another task added one of them meanwhile, so that none counts twice.
      isAdded = try building.withLock { building throws(HKError) in
        try Self.check(building)
        building.statistics = nil
        return building.draft.add(new, quantities)
      }
    }
  }

  /// Takes the quantities of all samples as the store has them now: some were replaced or deleted.
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

  // MARK: -

  func begin(at start: Date) throws(HKError) {
    try change { draft throws(HKError) in try draft.begin(at: start) }
    collectionBegan()
  }

  /// Whether it was neither finished nor discarded, nor is being finished.
  var isCollecting: Bool { building.withLock { $0.phase == .collecting } }

  /// For a builder that collects by itself.
  func collectionBegan() {}
  /// Before the workout is made, once its end is known.
  func collectRest() async throws {}
  /// The workout was finished or discarded.
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
  /// nil if it was deleted.
  fileprivate func workout(_ uuid: UUID) async throws -> HKWorkout? {
    let filter = SampleFilter.uuids([uuid])
    return try await fold(
      into: nil, SampleQuestion(types: [.workoutType()], filter: filter), order: [], limit: 1
    ) { $0 = $1 as? HKWorkout }
  }
}
