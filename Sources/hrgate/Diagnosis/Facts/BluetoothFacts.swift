public import Bluetooth

/// The state of bluetoothd and of its adapters.
public struct BluetoothFacts: Hashable, Sendable {
  /// The result of calling bluetoothd.
  public enum Access: Hashable, Sendable {
    case answering
    case busAbsent(String)
    /// The bus rejects connections from this user.
    case userRefused(String)
    case daemonAbsent
    case notAnswering
    /// The bus policy forbids the call.
    case notPermitted(String)
    case refused(String)
  }

  public struct Adapter: Hashable, Sendable {
    /// The name, such as `hci0`.
    public var name: String
    public var isPowered: Bool
    /// Whether a discovery ran for the whole observation time.
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
  /// Addresses of the bonded peripherals.
  public var bonds: Set<BluetoothAddress>
  /// systemd's `Restart=` of bluetooth.service (`no`, `on-failure` …); `nil` if unknown.
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
