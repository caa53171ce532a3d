public import Foundation
import HealthStorage
import Synchronization

/// A workout builder that collects the samples stored while a session runs, whichever process saves them.
///
/// From the beginning of the collection, it collects those types of its data source that the program may
/// read. Samples that start during a pause are skipped, as are types for which authorization was not
/// requested. `finishWorkout()` reads the store once more to include late samples. If reading fails, the
/// session's delegate gets the error, and the next change to the session or the data source restarts the
/// collection.
// @unchecked: HKWorkoutBuilder is not final. All state is `let`, Sendable or in a Mutex.
open class HKLiveWorkoutBuilder: HKWorkoutBuilder, @unchecked Sendable {
  private struct State {
    var delegate = DelegateReference<any HKLiveWorkoutBuilderDelegate>(nil)
    weak var session: HKWorkoutSession?
    var course: SessionCourse
    var collectsEvents = true
    var source: HKLiveWorkoutDataSource?
    var followers: [HKQuantityType: Follower] = [:]
  }

  private struct Follower {
    let predicate: PredicateTranslation?
    let task: Task<Void, Never>
  }

  private let live: Mutex<State>
  /// The serial queue on which the delegate's methods are called.
  private let queue = DispatchQueue(label: "HKLiveWorkoutBuilder")

  init(
    _ store: HKHealthStore, _ configuration: HKWorkoutConfiguration.Values, _ session: HKWorkoutSession,
    _ course: SessionCourse
  ) {
    live = Mutex(State(session: session, course: course))
    super.init(
      healthStore: store, configuration: HKWorkoutConfiguration(configuration), device: nil)
  }

  deinit {
    endFollowing()
  }

  public weak var delegate: (any HKLiveWorkoutBuilderDelegate)? {
    get { live.withLock { $0.delegate }.delegate }
    set {
      let reference = DelegateReference(newValue)
      live.withLock { $0.delegate = reference }
    }
  }

  /// The session; nil after the program has released it.
  public var workoutSession: HKWorkoutSession? { live.withLock { $0.session } }

  /// Whether pauses and resumes of the session are added as events of the workout.
  public var shouldCollectWorkoutEvents: Bool {
    get { live.withLock { $0.collectsEvents } }
    set { live.withLock { $0.collectsEvents = newValue } }
  }

  /// The types to collect; nil to collect nothing.
  public var dataSource: HKLiveWorkoutDataSource? {
    get { live.withLock { $0.source } }
    set {
      live.withLock { state in
        state.source?.onChange(nil)
        state.source = newValue
      }
      newValue?.onChange { [weak self] in self?.follow() }
      follow()
    }
  }

  /// The duration of the workout until now or its end, in seconds, without pauses.
  public var elapsedTime: TimeInterval { elapsedTime(at: endDate ?? Date()) }

  /// The activity in progress.
  public var currentWorkoutActivity: HKWorkoutActivity? { workoutActivities.last { $0.endDate == nil } }

  // MARK: - Updates from the session

  func follow(_ course: SessionCourse) {
    live.withLock { $0.course = course }
    follow()
  }

  func take(_ event: HKWorkoutEvent) {
    // `add` throws for an event from before the collection began. Ignore such an event.
    guard shouldCollectWorkoutEvents,
      (try? change { draft throws(HKError) in try draft.add([event]) }) != nil
    else { return }
    notifyDelegate { $1.workoutBuilderDidCollectEvent($0) }
  }

  func begin(_ activity: HKWorkoutActivity) {
    guard (try? change { draft throws(HKError) in try draft.add(activity) }) != nil else { return }
    notifyDelegate { $1.workoutBuilder($0, didBegin: activity) }
  }

  func end(_ activity: HKWorkoutActivity, at date: Date) {
    guard
      (try? change { draft throws(HKError) in try draft.update(activity.uuid, end: date) }) != nil,
      let ended = workoutActivities.first(where: { $0.uuid == activity.uuid })
    else { return }
    notifyDelegate { $1.workoutBuilder($0, didEnd: ended) }
  }

  // MARK: - Observing the store

  override func collectionBegan() {
    follow()
  }

  /// Starts to observe each type that is to be collected, and stops observing all other types. Does nothing
  /// before the collection begins.
  private func follow() {
    guard startDate != nil else { return }
    live.withLock { state in
      let wanted = state.course.start == nil ? [:] : state.source?.predicates ?? [:]
      for (type, follower) in state.followers where wanted[type] != .some(follower.predicate) {
        follower.task.cancel()
        state.followers[type] = nil
      }
      for (type, predicate) in wanted where state.followers[type] == nil {
        let task = Task { [weak self] in
          do {
            guard var follower = try await self?.follower(type, predicate) else { return }
            while let result = try await follower.next() {
              guard let self else { return }
              try await self.follow(result, of: type)
            }
          } catch HKError.errorAuthorizationNotDetermined {
            // Skip this type, because the program did not request permission for it.
          } catch {
            self?.collectionFailed(type, error)
          }
        }
        state.followers[type] = Follower(predicate: predicate, task: task)
      }
    }
  }

  private func follow(_ result: AnchoredResult, of type: HKQuantityType) async throws {
    do {
      try await take(result.added, of: type)
      try await leave(result.deleted)
    } catch {
      // Ignore errors while the workout is being saved, because no samples can be added then. If saving
      // fails, the samples are read again.
      if isCollecting { throw error }
    }
  }

  private func collectionFailed(_ type: HKQuantityType, _ error: any Error) {
    // Report nothing if this task was canceled, because the type is no longer collected or has a new task.
    guard !Task.isCancelled, isCollecting else { return }
    live.withLock { $0.followers[type] = nil }
    workoutSession?.fail(error as? HKError ?? HKError(error))
  }

  private func endFollowing() {
    live.withLock { state in
      for follower in state.followers.values { follower.task.cancel() }
      state.followers = [:]
    }
  }

  /// Adds the samples that are already stored. Returns an `AnchoredFollower` that reports samples stored
  /// later.
  private func follower(
    _ type: HKQuantityType, _ predicate: PredicateTranslation?
  ) async throws -> AnchoredFollower {
    // Read the change log position before the samples. A sample saved in between is then found twice and
    // ignored the second time. In the opposite order, it could be missed.
    let position = try await HKError.translating { try await store.admit(.read([type])).lastChange() }
    try await takeStored(type, predicate)
    return try AnchoredFollower(
      AnchoredRequest(
        ChangeRequest(type, predicate), HKQueryAnchor(position: position, store: nil), nil), in: store)
  }

  private func takeStored(_ type: HKQuantityType, _ predicate: PredicateTranslation?) async throws {
    guard let start = startDate else { return }
    var parts = [try SampleFilter.samples(of: type, predicate), .startsFrom(Microseconds.clamped(start))]
    // Add one microsecond: `startsBefore` excludes its argument, but samples at the end of the workout are
    // included.
    if let end = endDate { parts.append(.startsBefore(Microseconds.clamped(end) + 1)) }
    let filter = SampleFilter.all(parts)
    let samples: [HKSample] = try await store.fold(
      into: [], SampleRequest(types: [type], filter: filter), order: [.start(ascending: true)], limit: nil
    ) { $0.append($1) }
    try await take(samples, of: type)
  }

  private func take(_ samples: [HKSample], of type: HKQuantityType) async throws {
    guard let start = startDate else { return }
    let end = endDate ?? .distantFuture
    let course = live.withLock { $0.course }
    let known = members
    let new = samples.filter {
      $0.startDate >= start && $0.startDate <= end && course.isRunning(at: $0.startDate)
        && !known.contains($0.uuid)
    }
    guard !new.isEmpty else { return }
    try await add(stored: new.map(\.uuid))
    notifyDelegate { $1.workoutBuilder($0, didCollectDataOf: [type]) }
  }

  /// Updates the statistics after collected samples were deleted or replaced.
  private func leave(_ deleted: [HKDeletedObject]) async throws {
    let known = members
    guard deleted.contains(where: { known.contains($0.uuid) }) else { return }
    try await readAgain()
  }

  override func collectRest() async throws {
    let predicates = dataSource?.predicates ?? [:]
    for (type, predicate) in predicates {
      do {
        try await takeStored(type, predicate)
      } catch HKError.errorAuthorizationNotDetermined {
        continue
      }
    }
  }

  override func collectionIsOver() {
    endFollowing()
  }

  private func notifyDelegate(
    _ message: @escaping @Sendable (HKLiveWorkoutBuilder, any HKLiveWorkoutBuilderDelegate) -> Void
  ) {
    // Use the delegate at the time of the event, not at the time when the queue runs the block.
    let reference = live.withLock { $0.delegate }
    queue.async { [self] in
      if let delegate = reference.delegate { message(self, delegate) }
    }
  }
}

/// The delegate of a live workout builder. Its methods are called on a background queue.
public protocol HKLiveWorkoutBuilderDelegate: AnyObject {
  /// Reports that samples of these types were added. The builder's statistics include them.
  func workoutBuilder(
    _ workoutBuilder: HKLiveWorkoutBuilder, didCollectDataOf collectedTypes: Set<HKSampleType>)

  /// Reports that an event of the session was added.
  func workoutBuilderDidCollectEvent(_ workoutBuilder: HKLiveWorkoutBuilder)

  func workoutBuilder(_ workoutBuilder: HKLiveWorkoutBuilder, didBegin workoutActivity: HKWorkoutActivity)

  func workoutBuilder(_ workoutBuilder: HKLiveWorkoutBuilder, didEnd workoutActivity: HKWorkoutActivity)
}

// Default implementations, which make these methods optional.
extension HKLiveWorkoutBuilderDelegate {
  public func workoutBuilder(
    _ workoutBuilder: HKLiveWorkoutBuilder, didBegin workoutActivity: HKWorkoutActivity
  ) {}

  public func workoutBuilder(
    _ workoutBuilder: HKLiveWorkoutBuilder, didEnd workoutActivity: HKWorkoutActivity
  ) {}
}
