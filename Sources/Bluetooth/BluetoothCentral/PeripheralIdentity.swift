/// The peripheral of an event.
public enum PeripheralIdentity: Hashable, Sendable {
  /// The identity address if the controller resolved it, or else the address of the connection.
  case address(BluetoothAddress)
  /// A link that began before the source did, so no address is known. The number distinguishes such links.
  case unidentified(link: UInt32)
}

extension PeripheralIdentity: CustomStringConvertible {
  public var description: String {
    switch self {
    case .address(let address): address.description
    case .unidentified: "unidentified"
    }
  }
}
