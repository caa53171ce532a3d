public import Foundation

/// The delegate of a workout session. Its methods are called on a background queue in the order of events.
public protocol HKWorkoutSessionDelegate: AnyObject {
  func workoutSession(
    _ workoutSession: HKWorkoutSession, didChangeTo toState: HKWorkoutSessionState,
    from fromState: HKWorkoutSessionState, date: Date)

  /// Reports an error. errorAnotherWorkoutSessionStarted means that the session has ended.
  /// errorInvalidArgument means that the requested change is not allowed in the current state and was not
  /// made.
  func workoutSession(_ workoutSession: HKWorkoutSession, didFailWithError error: any Error)

  /// Reports a pause or resume.
  func workoutSession(_ workoutSession: HKWorkoutSession, didGenerate event: HKWorkoutEvent)

  func workoutSession(
    _ workoutSession: HKWorkoutSession, didBeginActivityWith workoutConfiguration: HKWorkoutConfiguration,
    date: Date)

  func workoutSession(
    _ workoutSession: HKWorkoutSession, didEndActivityWith workoutConfiguration: HKWorkoutConfiguration,
    date: Date)

  /// Never called, because there is no companion device.
  func workoutSession(
    _ workoutSession: HKWorkoutSession, didReceiveDataFromRemoteWorkoutSession data: [Data])

  /// Never called, because there is no companion device.
  func workoutSession(
    _ workoutSession: HKWorkoutSession, didDisconnectFromRemoteDeviceWithError error: (any Error)?)
}

// Default implementations, which make these methods optional.
extension HKWorkoutSessionDelegate {
  public func workoutSession(_ workoutSession: HKWorkoutSession, didGenerate event: HKWorkoutEvent) {}
  public func workoutSession(
    _ workoutSession: HKWorkoutSession, didBeginActivityWith workoutConfiguration: HKWorkoutConfiguration,
    date: Date
  ) {}
  public func workoutSession(
    _ workoutSession: HKWorkoutSession, didEndActivityWith workoutConfiguration: HKWorkoutConfiguration,
    date: Date
  ) {}
  public func workoutSession(
    _ workoutSession: HKWorkoutSession, didReceiveDataFromRemoteWorkoutSession data: [Data]
  ) {}
  public func workoutSession(
    _ workoutSession: HKWorkoutSession, didDisconnectFromRemoteDeviceWithError error: (any Error)?
  ) {}
}

/// A weak reference to a delegate.
///
/// As in Apple's framework, delegate protocols do not require Sendable, so that a view model that is not
/// Sendable can be a delegate. All calls come from one serial queue. The delegate must protect any other
/// state that it shares with that queue, as with Apple's framework.
// @unchecked: see the reason above.
struct DelegateReference<Delegate>: @unchecked Sendable {
  private weak var object: AnyObject?

  /// Creates a weak reference.
  /// - Parameter delegate: An object. (Swift does not treat an existential of a class-bound protocol as
  ///   `AnyObject`.)
  init(_ delegate: Delegate?) {
    object = delegate.map { $0 as AnyObject }
  }

  /// The delegate; nil after the program has released it.
  var delegate: Delegate? { object as? Delegate }
}
