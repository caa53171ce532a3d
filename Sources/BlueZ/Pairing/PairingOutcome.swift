public import Bluetooth

/// What enrolment learnt about a monitor.
public struct MonitorFacts: Sendable {
  /// The one that lasts, where the monitor has one or told it while it was paired: its identity.
  public var address: BluetoothAddress
  /// The private address by which it was found, where that is another.
  public var privateAddress: BluetoothAddress?
  public var adapter: BluetoothAddress
  public var name: String?
  public var isBonded: Bool
  /// Why there is no bond though one was tried; `nil` where there is one, or none was tried.
  public var bondRefusal: String?
  /// Per cent.
  public var battery: Int?
  /// What was read, by characteristic: Device Information and Body Sensor Location.
  public var values: [(characteristic: BluetoothUUID, value: AttributeValue)]
}

/// Why a monitor could not be enrolled.
public enum EnrolmentFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// Nothing with this address or name was heard.
  case notFound(String)
  /// Several are called so.
  case ambiguous(String, [BluetoothAddress])
  case notConnected(String)
  /// The link ended before everything was done.
  case linkLost
  case servicesNotResolved
  /// It has no Heart Rate Measurement that can notify, so it is no heart-rate monitor.
  case noMeasurement
  /// The user said no, or had no passkey.
  case pairingRefused
  /// The monitor pairs, or was to, and it failed.
  case pairingFailed(String)
  /// The monitor gives its measurements over an encrypted link only, and pairing failed or was not wanted.
  case pairingNeeded(String)

  public var description: String {
    switch self {
    case .notFound(let query):
      "\(query) was not heard. Is it worn, and connected to nothing else? Many monitors take one connection only."
    case .ambiguous(let name, let addresses):
      "There are several monitors named \(name): \(addresses.map(\.description).joined(separator: ", ")). Name one by its address."
    case .notConnected(let why): "The monitor could not be connected to: \(why)"
    case .linkLost: "The monitor closed the link, or went out of range."
    case .servicesNotResolved: "The monitor did not tell which services it has."
    case .noMeasurement:
      "It is no heart-rate monitor: it has no Heart Rate Measurement (0x2A37) that can notify."
    case .pairingRefused:
      "Nothing was paired: there was a no at the passkey, or no passkey. Without a bond: hrgate pair --no-bond"
    case .pairingFailed(let why): "Pairing failed: \(why)"
    case .pairingNeeded(let why): "The monitor must be paired, and it was not: \(why)"
    }
  }
}

/// Whether a bond is made.
public enum Bonding: Hashable, Sendable {
  /// Where the monitor can; the Heart Rate Service does not need one, and one that will not pair is enrolled
  /// without.
  case preferred
  /// As somebody wants it who gives a passkey: no bond is a failure.
  case required
  /// Not at all.
  case none
}
