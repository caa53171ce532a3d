public import Bluetooth

/// What bluetoothd tells of itself and of what it knows.
public struct BluetoothFacts: Hashable, Sendable {
  /// How far a question to bluetoothd gets.
  public enum Access: Hashable, Sendable {
    case answering
    case busAbsent(String)
    /// The bus does not take this user at all.
    case userRefused(String)
    case daemonAbsent
    case notAnswering
    /// The policy of the bus forbids it.
    case notPermitted(String)
    case refused(String)
  }

  public struct Adapter: Hashable, Sendable {
    /// `hci0`.
    public var name: String
    public var isPowered: Bool
    /// A discovery went on for as long as it was looked at.
    public var isDiscoveringForGood: Bool

    public init(name: String, isPowered: Bool, isDiscoveringForGood: Bool) {
      self.name = name
      self.isPowered = isPowered
      self.isDiscoveringForGood = isDiscoveringForGood
    }
  }

  public var access: Access
  public var version: Version?
  public var adapters: [Adapter]
  /// The peripherals that it has a bond with.
  public var bonds: Set<BluetoothAddress>
  /// When systemd starts it anew, in its words (`no`, `on-failure` …); `nil` where that is not known.
  public var restart: String?

  public init(
    access: Access, version: Version? = nil, adapters: [Adapter] = [], bonds: Set<BluetoothAddress> = [],
    restart: String? = nil
  ) {
    self.access = access
    self.version = version
    self.adapters = adapters
    self.bonds = bonds
    self.restart = restart
  }
}
