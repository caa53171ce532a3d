/// The reason why no measurements of a monitor arrived for some time.
///
/// The raw values are stored, and printed by `--json`, so they never change.
public enum GapCause: String, Hashable, Sendable, CaseIterable {
  /// The connection was lost: the monitor was out of range, its battery was empty, or there was interference.
  case linkLoss = "link-loss"
  /// The monitor ended the connection.
  case closedByPeripheral = "closed-by-peripheral"
  /// This host ended the connection: the gateway, in order to make a new one, or another program.
  case closedByHost = "closed-by-host"
  /// The monitor was connected but sent nothing.
  case silence
  /// The monitor or this host has lost the bond. No central reports this cause any more, because such
  /// connections end with ``linkLoss``. It exists for stores and programs that contain the raw value.
  case bondLost = "bond-lost"
  /// bluetoothd was not running.
  case daemonAbsent = "bluetoothd-absent"
  /// The D-Bus daemon was not running.
  case busAbsent = "bus-absent"
  /// There was no adapter.
  case adapterAbsent = "adapter-absent"
  /// The adapter was switched off, by a program or by rfkill.
  case adapterOff = "adapter-off"
  /// More data arrived than could be stored or read.
  case overflow
  /// The wall clock was set forward. Measurements are not necessarily missing.
  case clockStep = "clock-step"
  /// The computer was suspended.
  case suspended
  /// The store was not writable for so long that measurements were dropped.
  case storeUnavailable = "store-unavailable"
  /// The store was locked, and measurements that were recorded in the meantime are missing or damaged.
  case inboxDamaged = "inbox-damaged"
  /// The gateway was stopped.
  case gatewayStopped = "gateway-stopped"
  /// The cause is not known.
  case unknown
}

extension GapCause {
  /// Creates the cause of a gap from a controller's reason for the end of a link.
  ///
  /// - Parameter hciReason: The reason in the event Disconnection Complete (Core Specification, Vol 1, Part
  ///   F): 0x08 supervision timeout, 0x22 LL response timeout, 0x3E connection failed to be established;
  ///   0x13–0x15 ended by the peripheral (user, low resources, power off); 0x16 ended by this host.
  public init(hciReason: UInt8) {
    switch hciReason {
    case 0x08, 0x22, 0x3E: self = .linkLoss
    case 0x13, 0x14, 0x15: self = .closedByPeripheral
    case 0x16: self = .closedByHost
    default: self = .unknown
    }
  }
}
