/// Why nothing that a monitor sent arrived from some time on.
///
/// The raw values are what the store keeps and what `--json` prints; they do not change.
public enum GapCause: String, Hashable, Sendable, CaseIterable {
  /// The link ended without being closed: out of range, a flat battery, interference.
  case linkLoss = "link-loss"
  /// The monitor closed the link.
  case closedByPeripheral = "closed-by-peripheral"
  /// This host closed the link: the gateway to make a new one, or somebody at this machine.
  case closedByHost = "closed-by-host"
  /// The link stood, and nothing came over it.
  case silence
  /// The monitor no longer knows the bond, or this host does not. No central reports it: the links that
  /// show it have ended as ``linkLoss``. Stores and programs may know the word.
  case bondLost = "bond-lost"
  /// bluetoothd ended.
  case daemonAbsent = "bluetoothd-absent"
  /// The D-Bus daemon ended.
  case busAbsent = "bus-absent"
  /// The adapter was taken away.
  case adapterAbsent = "adapter-absent"
  /// The adapter was switched off, by a program or by rfkill.
  case adapterOff = "adapter-off"
  /// More arrived than could be kept.
  case overflow
  /// The wall clock was set forward; no frame need be missing.
  case clockStep = "clock-step"
  /// The machine slept.
  case suspended
  /// The store could not be written to for so long that measurements had to be let go.
  case storeUnavailable = "store-unavailable"
  /// The gateway was ended.
  case gatewayStopped = "gateway-stopped"
  /// The source does not say.
  case unknown
}
