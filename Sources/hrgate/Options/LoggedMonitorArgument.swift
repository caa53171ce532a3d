import Bluetooth

/// An argument that names a monitor in a log, in the form of ``ReplayLine/Monitor/address``.
struct LoggedMonitorArgument: CheckedArgument {
  /// The name of monitors without an address in the log.
  private static let unidentified = "unidentified"

  /// One address of each kind, because the argument has no address kind; empty for unidentified monitors.
  private let addresses: [BluetoothAddress]

  init?(argument: String) {
    addresses = AddressArgument(argument: argument)?.addresses ?? []
    if addresses.isEmpty, argument != Self.unidentified { return nil }
  }

  static func rule(for argument: String) -> String {
    "give the monitor's address, such as C2:A5:00:00:00:01, or \(unidentified) for monitors without an address in the log"
  }

  func means(_ peripheral: PeripheralIdentity) -> Bool {
    switch peripheral {
    case .address(let address): addresses.contains(address)
    case .unidentified: addresses.isEmpty
    }
  }
}
