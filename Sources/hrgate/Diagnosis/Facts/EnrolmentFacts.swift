public import Bluetooth

/// An enrolled monitor as stored. Times are in seconds since 1970.
public struct EnrolmentFacts: Hashable, Sendable {
  /// A period without data from the monitor.
  public struct Gap: Hashable, Sendable {
    public var start: Double
    /// The end; `nil` while the gap lasts.
    public var end: Double?
    /// The cause, as stored.
    public var cause: String

    public init(start: Double, end: Double?, cause: String) {
      self.start = start
      self.end = end
      self.cause = cause
    }
  }

  public var address: BluetoothAddress
  public var name: String?
  /// The person it belongs to; `nil` for the owner.
  public var person: String?
  /// Battery level in percent.
  public var battery: Int?
  public var isBonded: Bool
  public var lastSeen: Double?
  /// The gaps by start time.
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

  /// The monitor's name and owner: two people may have straps with the same name.
  var subject: String {
    let name = name ?? address.description
    return person.map { "\(name) (\($0))" } ?? name
  }
}
