/// Which peripheral an event is about.
public enum PeripheralIdentity: Hashable, Sendable {
  /// Its identity address where the controller resolved one, else the address it connected with.
  case address(BluetoothAddress)
  /// A link whose beginning the source did not see, so that no address is known. The number tells such links
  /// apart.
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
