public import BlueZ
public import Bluetooth

/// A central that follows the monitors it is told to, until it is stopped.
///
/// A gateway calls ``run()`` once, ``follow(_:)`` at the beginning and whenever the enrolments change, and
/// ``stop()`` at the end; meanwhile it reads `events()`. A central that cannot be told anything, such as a
/// simulation, needs none of this: any `Central` does.
public protocol FollowingCentral: Central {
  /// Sets which monitors are followed from now on. Of those that no longer are it tells
  /// `CentralEvent.released(_:)`, after all else that it tells of them.
  func follow(_ monitors: [EnrolledMonitor]) async
  /// Works until the task is cancelled, which happens after ``stop()``.
  func run() async
  /// Leaves everything in order, and ends the events once those that wait are read. May be called twice.
  func stop() async
  /// Returns when what works for this central has done something now, be there news or not: a central whose
  /// thread hangs does not return. It is asked once in a while, for ``HeartRateGateway/turn()``.
  func takeTurn() async
}

extension FollowingCentral {
  /// A central that has no thread of its own.
  public func takeTurn() async {}
}

/// What a gateway asks of the central that is made for a run.
public struct FollowingTerms: Sendable {
  /// Receipt times are to be told by this clock: it goes on from the run before, and the gateway knows by it
  /// how wall time has been set since.
  public var clock: ReceiptClock
  /// How long events may wait for others before they are handed over together. Live values are delayed by it.
  public var gathering: Duration
  /// To be called for each change of a monitor's state, in order. It never blocks.
  public var report: @Sendable (FollowStatus) -> Void
  /// To be called when a monitor is heard without a link. It never blocks.
  public var hear: @Sendable (HeardSignal) -> Void
}
