public import Foundation
import Synchronization

/// A workout in progress. A program has at most one running session per store: starting another one ends it.
///
/// The session holds no data. Its ``associatedWorkoutBuilder()`` collects the samples that monitors and
/// programs save while it runs. The session does not survive the process.
// @unchecked: the class is open, like Apple's. All state is `let`, Sendable or in a Mutex.
open class HKWorkoutSession: NSObject, @unchecked Sendable {
  private struct State {
    var course = SessionCourse()
    var delegate = DelegateReference<any HKWorkoutSessionDelegate>(nil)
    var builder: HKLiveWorkoutBuilder?
  }

  private let store: HKHealthStore
  private let configuration: HKWorkoutConfiguration.Values
  private let held = Mutex(State())
  /// The serial queue on which the delegate's methods are called.
  private let queue = DispatchQueue(label: "HKWorkoutSession")

  /// Creates a session that has not started.
  /// - Parameter configuration: Copied; later changes have no effect.
  public init(healthStore: HKHealthStore, configuration: HKWorkoutConfiguration) throws {
    store = healthStore
    self.configuration = configuration.values
  }

  /// A copy of the configuration. Changing it does not affect the session.
  public var workoutConfiguration: HKWorkoutConfiguration { HKWorkoutConfiguration(configuration) }
  /// Always primary, because there is no other device whose session it could mirror.
  public var type: HKWorkoutSessionType { .primary }
  public var state: HKWorkoutSessionState { course.state }
  /// The start of the session; nil before it starts.
  public var startDate: Date? { course.start }
  /// The end of the session; nil before it is stopped or ended.
  public var endDate: Date? { course.end }

  public weak var delegate: (any HKWorkoutSessionDelegate)? {
    get { held.withLock { $0.delegate }.delegate }
    set {
      let reference = DelegateReference(newValue)
      held.withLock { $0.delegate = reference }
    }
  }

  /// The activity in progress, or else an activity that represents the whole session.
  public var currentActivity: HKWorkoutActivity {
    let course = course
    return course.activity
      ?? HKWorkoutActivity(
        uuid: .timeOrdered(), configuration, start: course.start ?? Date(), end: course.end, metadata: nil,
        events: [])
  }

  /// Returns the builder that collects samples while this session runs. A session has only one.
  public func associatedWorkoutBuilder() -> HKLiveWorkoutBuilder {
    held.withLock { state in
      let builder = state.builder ?? HKLiveWorkoutBuilder(store, configuration, self, state.course)
      state.builder = builder
      return builder
    }
  }

  // MARK: - State changes

  /// Prepares the session. Calling it before `startActivity(with:)` is optional.
  public func prepare() {
    change(at: Date()) { course, _ throws(HKError) in try course.prepare() }
  }

  /// Starts the session.
  /// - Parameter date: The start; nil for now.
  public func startActivity(with date: Date?) {
    let started = change(at: date ?? Date()) { course, date throws(HKError) in try course.start(at: date) }
    guard started else { return }
    store.engine.session.start(self)?.giveWay()
  }

  /// Pauses the session. The delegate gets a `pause` event.
  public func pause() {
    turn(.pause) { course, date throws(HKError) in try course.pause(at: date) }
  }

  /// Resumes a paused session. The delegate gets a `resume` event.
  public func resume() {
    turn(.resume) { course, date throws(HKError) in try course.resume(at: date) }
  }

  /// Sets the end of the workout. Samples measured before that time may still be collected until `end()`.
  /// - Parameter date: The end; nil for now.
  public func stopActivity(with date: Date?) {
    change(at: date ?? Date()) { course, date throws(HKError) in try course.stop(at: date) }
  }

  /// Ends the session.
  public func end() {
    change(at: Date()) { course, date throws(HKError) in try course.finish(at: date) }
    store.engine.session.end(self)
  }

  // MARK: - Activities

  /// Begins an activity, which ends the one in progress. If it would start before the session or before the
  /// activity in progress, the delegate gets an error.
  /// - Parameter metadata: The metadata of the activity. Traps on values that HealthKit does not allow.
  public func beginNewActivity(
    configuration: HKWorkoutConfiguration, date: Date, metadata: [String: Any]? = nil
  ) {
    let activity = HKWorkoutActivity(
      workoutConfiguration: configuration, start: date, end: nil, metadata: metadata)
    do throws(HKError) {
      let last = try held.withLock { state throws(HKError) in try state.course.begin(activity) }
      if let last { ended(last, at: date) }
    } catch {
      return fail(error)
    }
    held.withLock { $0.builder }?.begin(activity)
    notifyDelegate { session, delegate in
      delegate.workoutSession(session, didBeginActivityWith: activity.workoutConfiguration, date: date)
    }
  }

  /// Ends the activity in progress, if any. If the date is before its start, the delegate gets an error.
  public func endCurrentActivity(on date: Date) {
    do throws(HKError) {
      let last = try held.withLock { state throws(HKError) in try state.course.endActivity(at: date) }
      if let last { ended(last, at: date) }
    } catch {
      fail(error)
    }
  }

  private func ended(_ activity: HKWorkoutActivity, at date: Date) {
    held.withLock { $0.builder }?.end(activity, at: date)
    notifyDelegate { session, delegate in
      delegate.workoutSession(session, didEndActivityWith: activity.workoutConfiguration, date: date)
    }
  }

  // MARK: - Internals

  private var course: SessionCourse { held.withLock { $0.course } }

  /// Ends this session because another one was started.
  private func giveWay() {
    fail(HKError(.errorAnotherWorkoutSessionStarted, reason: "another workout session started"))
    change(at: Date()) { course, date throws(HKError) in try course.finish(at: date) }
  }

  /// Applies a state change and reports it to the delegate.
  /// - Returns: Whether the change was valid.
  @discardableResult
  private func change(
    at date: Date, _ step: (inout SessionCourse, Date) throws(HKError) -> Void
  ) -> Bool {
    do throws(HKError) {
      let (old, course, builder) = try held.withLock { state throws(HKError) in
        let old = state.course.state
        try step(&state.course, date)
        return (old, state.course, state.builder)
      }
      builder?.follow(course)
      notifyDelegate { $1.workoutSession($0, didChangeTo: course.state, from: old, date: date) }
      return true
    } catch {
      fail(error)
      return false
    }
  }

  private func turn(
    _ type: HKWorkoutEventType, _ step: (inout SessionCourse, Date) throws(HKError) -> Void
  ) {
    let date = Date()
    guard change(at: date, step),
      let event = try? HKWorkoutEvent.validated(
        type: type, dateInterval: DateInterval(start: date, duration: 0))
    else { return }
    notifyDelegate { $1.workoutSession($0, didGenerate: event) }
    held.withLock { $0.builder }?.take(event)
  }

  /// Reports an error to the delegate. The builder also calls this method, because the builder's delegate has
  /// no method for errors.
  func fail(_ error: HKError) {
    notifyDelegate { $1.workoutSession($0, didFailWithError: error) }
  }

  private func notifyDelegate(
    _ message: @escaping @Sendable (HKWorkoutSession, any HKWorkoutSessionDelegate) -> Void
  ) {
    // Use the delegate at the time of the event, not at the time when the queue runs the block.
    let reference = held.withLock { $0.delegate }
    queue.async { [self] in
      if let delegate = reference.delegate { message(self, delegate) }
    }
  }
}

extension HKWorkoutSession {
  /// The activity type of the configuration.
  public var activityType: HKWorkoutActivityType { workoutConfiguration.activityType }
  /// The location type of the configuration.
  public var locationType: HKWorkoutSessionLocationType { workoutConfiguration.locationType }
}
