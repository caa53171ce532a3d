public import Bluetooth

/// What the store knows of an enrolled monitor. Times are seconds since 1970.
public struct EnrolmentFacts: Hashable, Sendable {
  /// A time in which nothing arrived from it.
  public struct Gap: Hashable, Sendable {
    public var start: Double
    /// `nil` while it lasts.
    public var end: Double?
    /// As the store keeps it.
    public var cause: String

    public init(start: Double, end: Double?, cause: String) {
      self.start = start
      self.end = end
      self.cause = cause
    }
  }

  public var address: BluetoothAddress
  public var name: String?
  /// Whose it is, where that is not the owner.
  public var person: String?
  /// Percent.
  public var battery: Int?
  public var isBonded: Bool
  public var lastSeen: Double?
  /// In the order in which they began.
  public var gaps: [Gap]

  public init(
    address: BluetoothAddress, name: String? = nil, battery: Int? = nil, isBonded: Bool = false,
    lastSeen: Double? = nil, gaps: [Gap] = []
  ) {
    self.address = address
    self.name = name
    self.battery = battery
    self.isBonded = isBonded
    self.lastSeen = lastSeen
    self.gaps = gaps
  }

  /// What it is called, and whose it is: two people may have straps of one name.
  var subject: String {
    let name = name ?? address.description
    return person.map { "\(name) (\($0))" } ?? name
  }
}
