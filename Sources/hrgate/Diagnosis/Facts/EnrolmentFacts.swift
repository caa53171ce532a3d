public import Bluetooth
public import Gateway

/// An enrolled monitor as stored.
public struct EnrolmentFacts: Hashable, Sendable {
  public var address: BluetoothAddress
  public var name: String?
  /// The person to whom the monitor belongs; `nil` for the account owner.
  public var person: String?
  /// Battery level in percent.
  public var battery: Int?
  public var isBonded: Bool
  /// The time at which the monitor was last seen, in seconds since 1970.
  public var lastSeen: Double?
  /// The gaps by start time.
  public var gaps: [MonitorGap]

  public init(
    address: BluetoothAddress, name: String? = nil, battery: Int? = nil, isBonded: Bool = false,
    lastSeen: Double? = nil, gaps: [MonitorGap] = []
  ) {
    self.address = address
    self.name = name
    self.battery = battery
    self.isBonded = isBonded
    self.lastSeen = lastSeen
    self.gaps = gaps
  }

  /// The monitor's name and person, because two people may have straps with the same name.
  var subject: String {
    let name = name ?? address.description
    return person.map { "\(name) (\($0))" } ?? name
  }
}
