/// Why no measurements of a monitor arrived for some time.
///
/// The raw values are stored and printed by `--json`. They do not change.
public enum GapCause: String, Hashable, Sendable, CaseIterable {
  /// The link ended without being closed, for example out of range, by an empty battery or by interference.
  case linkLoss = "link-loss"
  /// The monitor closed the link.
  case closedByPeripheral = "closed-by-peripheral"
  /// This host closed the link: the gateway to make a new one, or another program.
  case closedByHost = "closed-by-host"
  /// The link was up, but nothing arrived.
  case silence
  /// The monitor or this host no longer has the bond. No central reports this cause, because the links that
  /// show it end as ``linkLoss``. It is kept for stores and programs that know the raw value.
  case bondLost = "bond-lost"
  /// bluetoothd ended.
  case daemonAbsent = "bluetoothd-absent"
  /// The D-Bus daemon ended.
  case busAbsent = "bus-absent"
  /// The adapter was removed.
  case adapterAbsent = "adapter-absent"
  /// The adapter was switched off, by a program or by rfkill.
  case adapterOff = "adapter-off"
  /// More data arrived than could be kept.
  case overflow
  /// The wall clock was set forward. Frames need not be missing.
  case clockStep = "clock-step"
  /// The machine slept.
  case suspended
  /// The store could not be written for so long that measurements were dropped.
  case storeUnavailable = "store-unavailable"
  /// The gateway was stopped.
  case gatewayStopped = "gateway-stopped"
  /// The source does not report a cause.
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
