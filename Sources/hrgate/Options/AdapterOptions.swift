import ArgumentParser
import Bluetooth

/// Which adapter is used.
struct AdapterOptions: ParsableArguments {
  @Option(
    name: .customLong("adapter"),
    help: ArgumentHelp(
      "Use this adapter only, by its address: hciN is a number that changes (default: any).",
      valueName: "address"))
  var adapter: AdapterArgument?

  var address: BluetoothAddress? { adapter?.address }
}

/// An adapter's address.
struct AdapterArgument: ExpressibleByArgument {
  var address: BluetoothAddress

  init?(argument: String) {
    guard let address = BluetoothAddress(argument, kind: .publicDevice) else { return nil }
    self.address = address
  }
}
