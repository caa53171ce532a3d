import ArgumentParser
import Bluetooth

/// Which adapter is used.
struct AdapterOptions: ParsableArguments {
  @Option(
    name: .customLong("adapter"),
    help: ArgumentHelp(Setting.adapter.help, valueName: "address"), transform: AdapterArgument.read)
  var adapter: AdapterArgument?

  /// - Throws: `ConfigurationFault`.
  var address: BluetoothAddress? {
    get throws {
      if let adapter { return adapter.address }
      return try Settings.current.adapter
    }
  }
}

extension Settings {
  /// The adapter that is to be used; `nil` for any.
  var adapter: BluetoothAddress? {
    text(.adapter).flatMap { BluetoothAddress($0, kind: .publicDevice) }
  }
}

/// An adapter's address.
struct AdapterArgument: CheckedArgument {
  var address: BluetoothAddress

  init?(argument: String) {
    guard let address = BluetoothAddress(argument, kind: .publicDevice) else { return nil }
    self.address = address
  }

  static func rule(for argument: String) -> String {
    "an adapter is named by its address: 00:1B:DC:0A:0B:01"
  }
}
