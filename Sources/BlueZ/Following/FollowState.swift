public import Bluetooth

/// The state of a followed monitor, as shown to the user.
///
/// The raw values appear in `--json` output and never change.
public enum FollowState: String, Hashable, Sendable, CaseIterable {
  /// The D-Bus daemon is not running, so bluetoothd cannot be reached.
  case busAbsent = "bus-absent"
  case daemonAbsent = "bluetoothd-absent"
  /// bluetoothd is running but does not respond.
  case daemonUnresponsive = "bluetoothd-unresponsive"
  /// The bus rejects this user, or its policy does not allow calls to bluetoothd.
  case notPermitted = "not-permitted"
  /// There is no adapter, or not the requested one.
  case adapterAbsent = "adapter-absent"
  case adapterOff = "adapter-off"
  /// rfkill blocks the adapter's radio.
  case adapterBlocked = "adapter-blocked"
  /// bluetoothd does not, or no longer, know the monitor. hrgate searches for it with discoveries of a few
  /// seconds.
  case searching
  /// The monitor is not connected. The kernel connects when it advertises, and hrgate also calls Connect at
  /// growing intervals. While the monitor ends each link at once, the kernel is kept from connecting.
  case away
  case connecting
  /// The monitor is connected, and bluetoothd is discovering its services.
  case resolving
  case subscribing
  /// The subscription is active, and measurements arrive.
  case following
  /// The monitor is connected, but no measurement has arrived for several seconds.
  case silent
  /// The monitor is connected but does not answer requests, or bluetoothd is pairing with it and does not
  /// reply until that ends.
  case frozen
  /// bluetoothd's attribute cache does not match the monitor's attributes.
  case staleCache = "stale-cache"
  /// The host or the monitor has lost its keys. The monitor must be paired again.
  case bondLost = "bond-lost"
  /// The monitor requires an encrypted link, and there is no bond.
  case pairingNeeded = "pairing-needed"
  /// Another program has acquired the monitor's notifications (AcquireNotify).
  case takenByAnother = "taken-by-another"
  /// The monitor always ends the link after the same time, because this host rejects the connection
  /// parameters that it requests.
  case timingRefused = "timing-refused"
  /// The monitor does not have a Heart Rate Measurement characteristic with notifications.
  case unusable

  /// Advice for the user, with `ADDRESS` in place of the monitor's address; `nil` if there is nothing to do.
  public var advice: String? {
    switch self {
    case .busAbsent: "Start the D-Bus system bus: systemctl start dbus"
    case .daemonAbsent: "Start bluetoothd: systemctl start bluetooth"
    case .daemonUnresponsive: "Restart bluetoothd: systemctl restart bluetooth"
    case .notPermitted: "Find the cause and a remedy: hrgate doctor"
    case .adapterAbsent: "Plug in the Bluetooth adapter."
    // Without its experimental interfaces, bluetoothd 5.66 reports an adapter that rfkill blocks as switched
    // off.
    case .adapterOff: "Switch the adapter on: rfkill unblock bluetooth; bluetoothctl power on"
    case .adapterBlocked: "Unblock the adapter: rfkill unblock bluetooth"
    case .bondLost, .pairingNeeded: "Pair the monitor again: hrgate pair ADDRESS"
    case .staleCache: "Remove the monitor and pair it again: hrgate forget ADDRESS; hrgate pair ADDRESS"
    case .takenByAnother: NotifyAcquiredError.remedy
    case .timingRefused: RefusedTiming.remedy
    case .unusable: "This device is not a heart-rate monitor (any more). Remove it: hrgate forget ADDRESS"
    case .frozen:
      "Take the monitor off for a minute, or remove its battery. If it requires a bond: hrgate pair ADDRESS"
    case .searching, .away, .connecting, .resolving, .subscribing, .following, .silent: nil
    }
  }
}

/// The status of a followed monitor. It is reported each time the state changes.
public struct FollowStatus: Hashable, Sendable {
  public var monitor: BluetoothAddress
  public var state: FollowState
  /// The adapter of the link; `nil` without a link.
  public var adapter: BluetoothAddress?
  /// The error that bluetoothd returned, or a possible cause, as text for the user.
  public var detail: String?
  /// Whether the monitor has a working bond; `nil` until a connection reveals it.
  public var isBonded: Bool?

  public init(
    monitor: BluetoothAddress, state: FollowState, adapter: BluetoothAddress? = nil, detail: String? = nil,
    isBonded: Bool? = nil
  ) {
    self.monitor = monitor
    self.state = state
    self.adapter = adapter
    self.detail = detail
    self.isBonded = state.hasNoBond ? false : isBonded
  }

  /// Advice for the user, with commands that can be pasted into a shell; `nil` if there is nothing to do.
  public var advice: String? { state.advice?.replacing("ADDRESS", with: monitor.description) }
}

extension FollowState {
  /// Whether the state shows that there is no working bond.
  fileprivate var hasNoBond: Bool { self == .bondLost || self == .pairingNeeded }
}

/// The signal strength of a followed monitor's advertisement. Not available during a connection.
public struct HeardSignal: Hashable, Sendable {
  public var monitor: BluetoothAddress
  /// Received signal strength, in dBm.
  public var rssi: Int
  /// When the advertisement was received.
  public var time: ReceiptTime

  public init(monitor: BluetoothAddress, rssi: Int, time: ReceiptTime) {
    self.monitor = monitor
    self.rssi = rssi
    self.time = time
  }
}
