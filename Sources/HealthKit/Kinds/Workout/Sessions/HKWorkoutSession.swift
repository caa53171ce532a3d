public import Foundation
import Synchronization

/// A workout that goes on. A program runs one session at a time on a store: starting another ends it.
///
/// It holds no data: those that monitors and programs save while it runs its ``associatedWorkoutBuilder()``
/// collects from the store. It is gone with the process.
// @unchecked: open as Apple's class is, but its state is `let`, Sendable or in a Mutex.
open class HKWorkoutSession: NSObject, @unchecked Sendable {
  private struct State {
    var course = SessionCourse()
    var delegate = DelegateReference<any HKWorkoutSessionDelegate>(nil)
    var builder: HKLiveWorkoutBuilder?
  }

  private let store: HKHealthStore
  private let configuration: HKWorkoutConfiguration.Values
  private let held = Mutex(State())
  /// Delegates hear of one thing after the other.
  private let queue = DispatchQueue(label: "HKWorkoutSession")

  /// - Parameter configuration: as it is now.
  public init(healthStore: HKHealthStore, configuration: HKWorkoutConfiguration) throws {
    store = healthStore
    self.configuration = configuration.values
  }

  /// A copy: changing it changes nothing here.
  public var workoutConfiguration: HKWorkoutConfiguration { HKWorkoutConfiguration(configuration) }
  /// Always primary: there is no other device whose session this one could mirror.
  public var type: HKWorkoutSessionType { .primary }
  public var state: HKWorkoutSessionState { course.state }
  /// nil before the session starts.
  public var startDate: Date? { course.start }
  /// nil before it is stopped or ended.
  public var endDate: Date? { course.end }

  public weak var delegate: (any HKWorkoutSessionDelegate)? {
    get { held.withLock { $0.delegate }.delegate }
    set {
      let reference = DelegateReference(newValue)
      held.withLock { $0.delegate = reference }
    }
  }

  /// The activity that goes on; without one, the session as a whole.
  public var currentActivity: HKWorkoutActivity {
    let course = course
    return course.activity
      ?? HKWorkoutActivity(
        uuid: .timeOrdered(), configuration, start: course.start ?? Date(), end: course.end, metadata: nil,
        events: [])
  }

  /// The one that collects what the store receives while this session runs. There is one for a session.
  public func associatedWorkoutBuilder() -> HKLiveWorkoutBuilder {
    held.withLock { state in
      let builder = state.builder ?? HKLiveWorkoutBuilder(store, configuration, self, state.course)
      state.builder = builder
      return builder
    }
  }

  // MARK: - The course

  public func prepare() {
    change(at: Date()) { course, _ throws(HKError) in try course.prepare() }
  }

  /// - Parameter date: nil for now.
  public func startActivity(with date: Date?) {
    let started = change(at: date ?? Date()) { course, date throws(HKError) in try course.start(at: date) }
    guard started else { return }
    store.engine.session.start(self)?.giveWay()
  }

  public func pause() {
    turn(.pause) { course, date throws(HKError) in try course.pause(at: date) }
  }

  public func resume() {
    turn(.resume) { course, date throws(HKError) in try course.resume(at: date) }
  }

  /// Ends the time of the workout; what was measured before may still come in until `end()`.
  /// - Parameter date: nil for now.
  public func stopActivity(with date: Date?) {
    change(at: date ?? Date()) { course, date throws(HKError) in try course.stop(at: date) }
  }

  public func end() {
    change(at: Date()) { course, date throws(HKError) in try course.finish(at: date) }
    store.engine.session.end(self)
  }

  // MARK: - Activities

  /// Begins a part of the workout; one that goes on ends with it. One that would begin before the session, or
  /// before the one that goes on, is an error of which the delegate hears.
  /// - Parameter metadata: of the activity. Values that HealthKit does not allow trap.
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
    tell { session, delegate in
      delegate.workoutSession(session, didBeginActivityWith: activity.workoutConfiguration, date: date)
    }
  }

  /// Nothing happens if none goes on. A date before it began is an error of which the delegate hears.
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
    tell { session, delegate in
      delegate.workoutSession(session, didEndActivityWith: activity.workoutConfiguration, date: date)
    }
  }

  // MARK: -

  private var course: SessionCourse { held.withLock { $0.course } }

  /// Another session started.
  private func giveWay() {
    fail(HKError(.errorAnotherWorkoutSessionStarted, reason: "another workout session started"))
    change(at: Date()) { course, date throws(HKError) in try course.finish(at: date) }
  }

  /// Takes a step of the course, of which the delegate hears.
  /// - Returns: whether it was taken.
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
      tell { $1.workoutSession($0, didChangeTo: course.state, from: old, date: date) }
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
    tell { $1.workoutSession($0, didGenerate: event) }
    held.withLock { $0.builder }?.take(event)
  }

  /// Tells the delegate; also for the builder, whose own delegate has no word for errors.
  func fail(_ error: HKError) {
    tell { $1.workoutSession($0, didFailWithError: error) }
  }

  private func tell(_ message: @escaping @Sendable (HKWorkoutSession, any HKWorkoutSessionDelegate) -> Void) {
    // Who was the delegate when it happened.
    let reference = held.withLock { $0.delegate }
    queue.async { [self] in
      if let delegate = reference.delegate { message(self, delegate) }
    }
  }
}
