/// What pairing found out about a monitor.
public struct MonitorFacts: Sendable {
  /// Its identity address if the monitor has one or distributed it while it was paired.
  public var address: BluetoothAddress
  /// The private address by which it was found, if that is another.
  public var privateAddress: BluetoothAddress?
  /// The adapter that it was paired with; `nil` if there is none.
  public var adapter: BluetoothAddress?
  public var name: String?
  public var isBonded: Bool
  /// Why there is no bond though one was tried; `nil` if there is one, or none was tried.
  public var bondRefusal: String?
  /// Percent, 0–100.
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
  /// No device with this address or name was heard.
  case notFound(String)
  /// Several devices have this name.
  case ambiguous(String, [BluetoothAddress])
  case notConnected(String)
  /// The link ended before everything was done.
  case linkLost
  case servicesNotResolved
  /// It has no Heart Rate Measurement that can notify, so it is not a heart-rate monitor.
  case noMeasurement
  /// The user refused, or had no passkey.
  case pairingRefused
  /// Pairing failed, with the reason.
  case pairingFailed(String)
  /// The monitor sends measurements over an encrypted link only, and pairing failed or was not wanted.
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

/// Whether pairing makes a bond.
public enum Bonding: Hashable, Sendable {
  /// If the monitor supports it. The Heart Rate Service does not need a bond.
  case preferred
  /// Pairing fails if there is no bond.
  case required
  case none
}
