public import Bluetooth

/// A monitor to follow.
public struct FollowedMonitor: Hashable, Sendable {
  public var address: BluetoothAddress
  /// Used to search for the monitor if its address is not found.
  public var name: String?
  /// The adapter to try first.
  public var preferredAdapter: BluetoothAddress?
  /// Whether it had a bond when it was enrolled.
  public var isBonded: Bool
  /// Whether to reset its energy total to 0 once, at its first link.
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
