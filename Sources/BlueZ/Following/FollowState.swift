public import Bluetooth

/// How far the gateway is with a monitor, by the name that the user sees.
///
/// The raw values are what `--json` prints; they do not change.
public enum FollowState: String, Hashable, Sendable, CaseIterable {
  /// The D-Bus daemon is away, and bluetoothd with it.
  case busAbsent = "bus-absent"
  case daemonAbsent = "bluetoothd-absent"
  /// bluetoothd runs and does not answer.
  case daemonUnresponsive = "bluetoothd-unresponsive"
  /// The bus does not take this user, or its policy does not let them speak to bluetoothd.
  case notPermitted = "not-permitted"
  /// No adapter, or not the one that was asked for.
  case adapterAbsent = "adapter-absent"
  case adapterOff = "adapter-off"
  /// rfkill holds the adapter off.
  case adapterBlocked = "adapter-blocked"
  /// bluetoothd does not know the monitor (any more): discoveries of a few seconds look for it.
  case searching
  /// No link. The kernel connects when the monitor advertises, and a call to connect helps it at growing
  /// intervals; to one that ends each link at once, that call alone.
  case away
  case connecting
  /// The link stands, and bluetoothd reads which services there are.
  case resolving
  case subscribing
  /// The subscription stands: what the monitor measures comes in.
  case following
  /// The link stands, and nothing has come over it for some seconds.
  case silent
  /// The monitor answers no request, or bluetoothd none before there is a bond.
  case frozen
  /// What bluetoothd remembers of the monitor's attributes is not what it has now.
  case staleCache = "stale-cache"
  /// One side has lost the keys: the monitor must be paired again.
  case bondLost = "bond-lost"
  /// The monitor wants an encrypted link and there is no bond.
  case pairingNeeded = "pairing-needed"
  /// Another program has acquired the measurements (AcquireNotify).
  case takenByAnother = "taken-by-another"
  /// Its links end by themselves, each at the same age: this host refuses the timing that it asks for.
  case timingRefused = "timing-refused"
  /// It has no Heart Rate Measurement that can be subscribed to.
  case unusable

  /// What the user may do about it, with `ADDRESS` for that of the monitor; `nil` where nothing need be done.
  public var advice: String? {
    switch self {
    case .busAbsent: "Start the D-Bus system bus: systemctl start dbus"
    case .daemonAbsent: "Start bluetoothd: systemctl start bluetooth"
    case .daemonUnresponsive: "Start bluetoothd anew: systemctl restart bluetooth"
    case .notPermitted: "See what refuses this user, and what to do: hrgate doctor"
    case .adapterAbsent: "Plug the Bluetooth adapter in."
    // bluetoothd 5.66 tells what rfkill holds off from what is just off only with its experimental
    // interfaces.
    case .adapterOff: "Switch the adapter on: rfkill unblock bluetooth; bluetoothctl power on"
    case .adapterBlocked: "Lift the block: rfkill unblock bluetooth"
    case .bondLost, .pairingNeeded: "Pair the monitor again: hrgate pair ADDRESS"
    case .staleCache: "Forget the monitor and pair it again: hrgate forget ADDRESS; hrgate pair ADDRESS"
    case .takenByAnother: NotifyAcquiredError.remedy
    case .timingRefused: RefusedTiming.remedy
    case .unusable: "It is no heart-rate monitor, or no longer one."
    case .frozen:
      "Take the monitor off for a minute, or remove its battery. If it needs a bond: hrgate pair ADDRESS"
    case .searching, .away, .connecting, .resolving, .subscribing, .following, .silent: nil
    }
  }
}

/// What is going on with a monitor; told whenever the state changes.
public struct FollowStatus: Hashable, Sendable {
  public var monitor: BluetoothAddress
  public var state: FollowState
  /// The adapter of the link, where there is one.
  public var adapter: BluetoothAddress?
  /// What bluetoothd said when something failed, and what it may mean.
  public var detail: String?
  /// Whether there is a bond that holds; `nil` while no link shows it.
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

  /// What the user may do about the state, in commands as they can be given; `nil` where nothing need be
  /// done.
  public var advice: String? { state.advice?.replacing("ADDRESS", with: monitor.description) }
}

extension FollowState {
  /// The keys are gone, or there never were any.
  fileprivate var hasNoBond: Bool { self == .bondLost || self == .pairingNeeded }
}
