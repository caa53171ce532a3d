public import BlueZ
public import Bluetooth

/// A central that follows a given list of monitors until it is stopped.
///
/// A gateway calls ``run()`` once, ``follow(_:)`` at the start and whenever the user adds or removes a
/// monitor, and ``stop()`` at the end. Meanwhile it reads `events()`. A central with a fixed set of monitors,
/// such as a simulation, does not need this protocol; `Central` is enough.
public protocol FollowingCentral: Central {
  /// Replaces the list of monitors to follow. For a monitor that is no longer in the list, the central emits
  /// `CentralEvent.released(_:)` as its last event.
  func follow(_ monitors: [EnrolledMonitor]) async
  /// Follows the monitors until the task is canceled. ``stop()`` is called before that.
  func run() async
  /// Disconnects cleanly, and ends the event stream after the pending events. May be called twice.
  func stop() async
  /// Returns after the central's thread has run its event loop once, even without events. While that thread
  /// hangs, this does not return, which is how ``HeartRateGateway/turn()`` detects a hang.
  func respondToProbe() async
  /// Returns the monitors that were paired with this machine. While the store is locked, the gateway follows
  /// these, because it cannot read the store's list of monitors.
  /// - Throws: If they cannot be determined now.
  func trustedMonitors() async throws -> [EnrolledMonitor]
}

extension FollowingCentral {
  /// Returns at once, because the central has no thread of its own.
  public func respondToProbe() async {}
  /// Returns an empty list, because the central has no paired monitors.
  public func trustedMonitors() async throws -> [EnrolledMonitor] { [] }
}

/// What a gateway passes to the central that it creates for a run.
public struct FollowingTerms: Sendable {
  /// The clock that computes receipt times. It continues from the previous run, so that the gateway detects
  /// if the wall clock was set between the runs.
  public var clock: ReceiptClock
  /// How long the central may hold events in order to emit several together. This delays the display of
  /// measurements.
  public var gathering: Duration
  /// Called for each change of a monitor's state, in order. Does not block.
  public var report: @Sendable (FollowStatus) -> Void
  /// Called for each advertisement of a followed monitor that is not connected. Does not block.
  public var hear: @Sendable (HeardSignal) -> Void
}
