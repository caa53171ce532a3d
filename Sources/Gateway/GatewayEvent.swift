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
  /// Another gateway is running on this store, and this one waits until it ends
  /// (``LivePolicy/waitsForAnother``). The process ID of the other one is `nil` if it is not known.
  case waiting(process: Int32?)
  /// The monitors to follow, sent at the start and after each change.
  case enrolled([EnrolledMonitor])
  /// The state of a monitor changed.
  case state(FollowStatus)
  /// Measurements that arrived together, in the order of receipt. They are not stored yet.
  case measured([LiveMeasurement])
  /// A monitor reported its battery level.
  case battery(LiveBattery)
  /// An advertisement of a monitor was received. Not sent while the monitor is connected, because bluetoothd
  /// does not report the signal strength then.
  case heard(HeardSignal)
  /// The gateway tried to save the pending measurements to the store.
  case committed(CommitReport)
  /// More measurements arrived during a commit. Contains the current counts, as in ``committed(_:)``, and the
  /// number of samples and gaps that are not committed. With it, the counts stay current while the store
  /// hangs.
  case counted(IngestionTally, heldBack: Int)
  /// Samples such as the resting heart rate were computed from stored samples and written, replaced or
  /// deleted. If this failed, the report has the error, and the gateway tries again.
  case derived(DerivationReport)
  /// Old samples were compacted. If this failed for some of them, the report has the error, and the gateway
  /// tries again.
  case condensed(CondensingReport)
  /// The store contains damaged samples that cannot be read. The text says which, and what the user can do.
  /// Sent once for each damaged hour. New measurements are still stored.
  case damaged(reason: String)
  /// The store cannot be used, for the given reason. The gateway tries again. Only sent if this process runs
  /// the gateways of several people.
  case refused(reason: String)
  /// A part of the gateway does not respond (`true`), or responds again (`false`). The gateways of other
  /// people keep running. They all share the bus, so it is reported once. Only sent if this process runs the
  /// gateways of several people.
  case hanging(GatewayPart, Bool)
  /// The process is about to end: gateways that end after this event end because of it. Only sent if this
  /// process runs the gateways of several people.
  case stopping
  /// This subscriber did not read fast enough, so this number of events before the next one was dropped.
  case missed(Int)
  /// The run has ended. Contains its final counts.
  case ended(IngestionTally)
}

/// An event of a gateway, with its time and the person whose store the gateway writes.
public struct TimedGatewayEvent: Sendable {
  /// The clocks when the event was sent. For ``GatewayEvent/missed(_:)``, when the first dropped event was
  /// sent.
  public var told: SystemClocks
  /// The person whose store the event is about; `nil` for the user of this account.
  public var person: String?
  public var event: GatewayEvent

  public init(told: SystemClocks, person: String? = nil, event: GatewayEvent) {
    self.told = told
    self.person = person
    self.event = event
  }
}

/// A part of a running gateway that may hang while the others work.
public enum GatewayPart: String, Hashable, Sendable, CaseIterable {
  /// The store: opening it, reading it, or committing measurements.
  case store
  /// The connection to the D-Bus, through which monitors are followed. All gateways of a process share it.
  case bus
}
