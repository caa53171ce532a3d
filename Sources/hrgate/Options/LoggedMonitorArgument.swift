import Bluetooth

/// A monitor of a log, named as ``ReplayLine/Monitor/address`` names it.
struct LoggedMonitorArgument: CheckedArgument {
  /// What the log calls a monitor whose address it does not have.
  private static let unidentified = "unidentified"

  /// One of each kind, for a person names the bits alone; none for what the log does not identify.
  private let addresses: [BluetoothAddress]

  init?(argument: String) {
    addresses = AddressArgument(argument: argument)?.addresses ?? []
    if addresses.isEmpty, argument != Self.unidentified { return nil }
  }

  static func rule(for argument: String) -> String {
    "a monitor of a log is named by its address, such as C2:A5:00:00:00:01, or is \(unidentified)"
  }

  func means(_ peripheral: PeripheralIdentity) -> Bool {
    switch peripheral {
    case .address(let address): addresses.contains(address)
    case .unidentified: addresses.isEmpty
    }
  }
}
