public import BlueZ
public import Bluetooth
public import Ingestion

/// An event of a running gateway, such as a measurement or a commit.
///
/// ```swift
/// for await event in gateway.events() {
///   switch event {
///   case .state(let status): print(status.monitor, status.state)
///   case .ended(let account): print("\(account.storedMeasurements) of \(account.measurements) stored")
///   default: break
///   }
/// }
/// ```
public enum GatewayEvent: Sendable {
  /// This gateway is waiting for another one on the same store to end (``LivePolicy/waitsForAnother``). The
  /// process ID of the other gateway is `nil` if unknown.
  case waiting(process: Int32?)
  /// The monitors to follow. Sent at the start and after each change.
  case enrolled([EnrolledMonitor])
  /// The state of a monitor changed.
  case state(FollowStatus)
  /// Measurements that arrived together, in the order of receipt. They have not been stored yet.
  case measured([LiveMeasurement])
  /// A monitor reported its battery level.
  case battery(LiveBattery)
  /// An advertisement of a monitor was received. Not sent while the monitor is connected, because bluetoothd
  /// does not report the signal strength then.
  case heard(HeardSignal)
  /// The gateway tried to save the pending measurements to the store.
  case committed(CommitReport)
  /// More measurements arrived during a commit. Contains the current counts, as in ``committed(_:)``, and the
  /// number of samples and gaps not yet committed. This keeps the counts current while the store hangs.
  case counted(IngestionTally, heldBack: Int)
  /// Samples computed from stored samples, such as the resting heart rate, were written, replaced or deleted.
  /// After a failure, the report contains the error, and the gateway tries again.
  case derived(DerivationReport)
  /// Old samples were compacted. If some could not be, the report contains the error, and the gateway tries
  /// again.
  case condensed(CondensingReport)
  /// The store contains damaged samples that cannot be read. The text names them and says what the user can
  /// do. Sent once for each damaged hour. New measurements are still stored.
  case damaged(reason: String)
  /// The store cannot be used, for the given reason. The gateway tries again. Only sent if this process runs
  /// the gateways of several people.
  case refused(reason: String)
  /// A part of the gateway does not respond (`true`), or responds again (`false`). The gateways of other
  /// people keep running. All gateways share the bus, so it is reported only once. Only sent if this process
  /// runs the gateways of several people.
  case hanging(GatewayPart, Bool)
  /// The process is about to end. Gateways that end from now on do so for this reason. Only sent if this
  /// process runs the gateways of several people.
  case stopping
  /// This subscriber read too slowly, so this number of events was dropped before the next event.
  case missed(Int)
  /// The run has ended. Contains its final counts.
  case ended(IngestionTally)
}

/// An event of a gateway, with its time and the person whose store the gateway writes.
public struct TimedGatewayEvent: Sendable {
  /// The time at which the event was sent, on all clocks. For ``GatewayEvent/missed(_:)``, the time of the
  /// first dropped event.
  public var emitted: SystemClocks
  /// The person whose store the event concerns; `nil` for the user of this account.
  public var person: String?
  public var event: GatewayEvent

  public init(emitted: SystemClocks, person: String? = nil, event: GatewayEvent) {
    self.emitted = emitted
    self.person = person
    self.event = event
  }
}

/// A part of a running gateway that may hang while the others keep working.
public enum GatewayPart: String, Hashable, Sendable, CaseIterable {
  /// The store: opening it, reading it, or committing measurements.
  case store
  /// The D-Bus connection through which monitors are followed. All gateways of a process share it.
  case bus
}
