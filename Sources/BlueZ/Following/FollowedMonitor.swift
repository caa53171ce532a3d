public import Bluetooth

/// A monitor to follow.
public struct FollowedMonitor: Hashable, Sendable {
  public var address: BluetoothAddress
  /// The advertised name. A search falls back to it if the address is not found.
  public var name: String?
  /// The adapter to try first.
  public var preferredAdapter: BluetoothAddress?
  /// Whether bluetoothd was bonded with the monitor when the monitor was added.
  public var isBonded: Bool
  /// Whether to reset the monitor's energy total to 0 when it first connects.
  public var resetsEnergy: Bool

  public init(
    address: BluetoothAddress, name: String? = nil, preferredAdapter: BluetoothAddress? = nil,
    isBonded: Bool = false, resetsEnergy: Bool = false
  ) {
    self.address = address
    self.name = name
    self.preferredAdapter = preferredAdapter
    self.isBonded = isBonded
    self.resetsEnergy = resetsEnergy
  }
}
