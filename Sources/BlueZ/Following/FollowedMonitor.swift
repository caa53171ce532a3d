public import Bluetooth

/// A monitor that is to be followed.
public struct FollowedMonitor: Hashable, Sendable {
  public var address: BluetoothAddress
  /// By which it is looked for where nothing is heard of its address.
  public var name: String?
  /// The adapter that is tried first.
  public var preferredAdapter: BluetoothAddress?
  /// Whether it had a bond when it was enrolled.
  public var isBonded: Bool
  /// The total of its energy is set to 0 once, when it is first linked.
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
