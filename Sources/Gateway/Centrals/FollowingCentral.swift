public import BlueZ
public import Bluetooth

/// A central that follows a given list of monitors until it is stopped.
///
/// A gateway calls ``run()`` once, ``follow(_:)`` at the start and whenever the enrollments change, and
/// ``stop()`` at the end. Meanwhile it reads `events()`. A central with a fixed set of monitors, such as a
/// simulation, does not need this protocol; `Central` is enough.
public protocol FollowingCentral: Central {
  /// Replaces the list of monitors to follow. For each monitor that is no longer in the list, the central
  /// emits `CentralEvent.released(_:)` as the last event of that monitor.
  func follow(_ monitors: [EnrolledMonitor]) async
  /// Runs until the task is canceled, which happens after ``stop()``.
  func run() async
  /// Disconnects cleanly, and ends the event stream after the pending events. May be called twice.
  func stop() async
  /// Returns when the central's event loop has run once, also if there were no events. If the thread of the
  /// loop hangs, it does not return. ``HeartRateGateway/turn()`` calls it as a liveness check.
  func takeTurn() async
}

extension FollowingCentral {
  /// Returns at once, for a central without a thread of its own.
  public func takeTurn() async {}
}

/// The parameters with which a gateway creates the central of a run.
public struct FollowingTerms: Sendable {
  /// The clock for receipt times. It continues from the previous run; the gateway detects by it whether the
  /// wall clock was set in between.
  public var clock: ReceiptClock
  /// How long the central may collect events before it emits them together. Delays live values by that time.
  public var gathering: Duration
  /// Called for each change of a monitor's state, in order. Never blocks.
  public var report: @Sendable (FollowStatus) -> Void
  /// Called for each advertisement of a monitor that is not connected. Never blocks.
  public var hear: @Sendable (HeardSignal) -> Void
}
