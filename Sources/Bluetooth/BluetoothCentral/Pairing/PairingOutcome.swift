/// The facts about a monitor that pairing has revealed.
public struct MonitorFacts: Sendable {
  /// The identity address if the monitor has one or sent one during pairing; otherwise the advertised
  /// address.
  public var address: BluetoothAddress
  /// The private address that the monitor advertised, if it differs from ``address``.
  public var privateAddress: BluetoothAddress?
  /// The adapter that the monitor was paired with; `nil` if there is no bond.
  public var adapter: BluetoothAddress?
  public var name: String?
  public var isBonded: Bool
  /// The reason why no bond was created despite an attempt; `nil` if there is a bond or there was no attempt.
  public var bondRefusal: String?
  /// The battery level in percent, 0–100.
  public var battery: Int?
  /// The values that were read: Device Information and Body Sensor Location.
  public var values: [(characteristic: BluetoothUUID, value: AttributeValue)]

  public init(
    address: BluetoothAddress, adapter: BluetoothAddress? = nil, name: String? = nil, isBonded: Bool = false,
    bondRefusal: String? = nil, battery: Int? = nil,
    values: [(characteristic: BluetoothUUID, value: AttributeValue)] = []
  ) {
    self.address = address
    self.adapter = adapter
    self.name = name
    self.isBonded = isBonded
    self.bondRefusal = bondRefusal
    self.battery = battery
    self.values = values
  }
}

/// The error that ended the pairing of a monitor.
public enum PairingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// No device with this address or name was found.
  case notFound(String)
  /// Several devices have this name.
  case ambiguous(String, [BluetoothAddress])
  case notConnected(String)
  /// The connection ended before pairing was complete.
  case linkLost
  case servicesNotResolved
  /// The device does not have Heart Rate Measurement with notifications, so it is not a heart-rate monitor.
  case noMeasurement
  /// The user refused, or did not have a passkey to enter.
  case pairingRefused
  /// Pairing failed; contains the reason.
  case pairingFailed(String)
  /// The monitor sends measurements only over an encrypted link, and there is no bond. Contains the reason.
  case pairingNeeded(String)

  public var description: String {
    switch self {
    case .notFound(let query):
      "\(query) was not found. Is it worn? Is it connected to another device? Many monitors accept only one connection."
    case .ambiguous(let name, let addresses):
      "There are several monitors named \(name): \(addresses.map(\.description).joined(separator: ", ")). Use an address instead."
    case .notConnected(let why): "Connecting to the monitor failed: \(why)"
    case .linkLost: "The monitor disconnected, or went out of range."
    case .servicesNotResolved: "The services of the monitor could not be read."
    case .noMeasurement:
      "This is not a heart-rate monitor: it has no Heart Rate Measurement (0x2A37) with notifications."
    case .pairingRefused:
      "Nothing was paired: the passkey was rejected or not entered. To use the monitor without a bond: hrgate pair --no-bond"
    case .pairingFailed(let why): "Pairing failed: \(why)"
    case .pairingNeeded(let why): "The monitor requires a bond, but pairing did not succeed: \(why)"
    }
  }
}

/// Whether to create a bond with the monitor.
public enum Bonding: Hashable, Sendable {
  /// Creates a bond if the monitor supports it. The Heart Rate Service does not require one.
  case preferred
  /// Creates a bond, and fails if this is impossible.
  case required
  case none
}
