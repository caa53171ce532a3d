public import BlueZ
public import Bluetooth
public import Ingestion

/// An event of a running gateway, for its watchers.
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
  /// Another gateway runs on the store, and this one waits until it ends: ``LivePolicy/waitsForAnother``.
  /// The process ID is `nil` if it is not known.
  case waiting(process: Int32?)
  /// The enrolled monitors, at the start and after each change.
  case enrolled([EnrolledMonitor])
  /// The state of a monitor changed.
  case state(FollowStatus)
  /// Measurements that arrived together, in the order of receipt, before they are committed.
  case measured([LiveMeasurement])
  /// A monitor reported its battery level.
  case battery(LiveBattery)
  /// A monitor was heard during discovery, with its signal strength. Not sent while it is connected:
  /// bluetoothd does not report the signal strength then.
  case heard(HeardSignal)
  /// The gateway tried to commit.
  case committed(CommitReport)
  /// More measurements arrived during a commit: the counts so far, as in ``committed(_:)``, and the number
  /// of pending samples and gaps. It keeps the counts current while the store hangs.
  case counted(IngestionTally, heldBack: Int)
  /// Derived samples were written, replaced or deleted, or an error prevented it. The gateway tries again.
  case derived(DerivationReport)
  /// Old samples were compacted, or an error prevented it for some or all. The gateway tries again.
  case condensed(CondensingReport)
  /// A segment of the store cannot be read, with the reason and the remedy. Sent once for each segment. New
  /// measurements are still stored.
  case damaged(reason: String)
  /// The store cannot be used, with the reason; the gateway tries again. Only if there are several gateways.
  case refused(reason: String)
  /// A part of the gateway failed a liveness check, or responds again. Only if there are several gateways;
  /// the others keep running. The bus is shared by all gateways and reported once.
  case hanging(GatewayPart, Bool)
  /// The run is about to end: gateways that end from now on end with it. Only if there are several gateways.
  case stopping
  /// The number of events that were dropped before the next one, because this watcher did not keep up.
  case missed(Int)
  /// The run has ended. This is its complete account.
  case ended(IngestionTally)
}

/// An event of a gateway, with its time and the person whose gateway it is.
public struct TimedGatewayEvent: Sendable {
  /// When the gateway sent the event, independent of when it is read. For ``GatewayEvent/missed(_:)``, when
  /// the first missing event was sent.
  public var told: SystemClocks
  /// The person whose store the event is about; `nil` for the owner.
  public var person: String?
  public var event: GatewayEvent

  public init(told: SystemClocks, person: String? = nil, event: GatewayEvent) {
    self.told = told
    self.person = person
    self.event = event
  }
}

/// A part of a running gateway that can hang on its own.
public enum GatewayPart: String, Hashable, Sendable, CaseIterable {
  /// The store: opening it, reading it, or committing measurements.
  case store
  /// The central that follows the monitors, and its bus connection. All gateways share one.
  case bus
}
