import ArgumentParser
import Bluetooth

/// The adapter to use.
struct AdapterOptions: ParsableArguments {
  @Option(
    name: .customLong("adapter"),
    help: ArgumentHelp(Setting.adapter.help, valueName: "address"), transform: AdapterArgument.read)
  var adapter: AdapterArgument?

  /// The chosen adapter; `nil` for any.
  ///
  /// - Throws: `ConfigurationError` if a settings file is invalid.
  var address: BluetoothAddress? {
    get throws {
      if let adapter { return adapter.address }
      return try Settings.current.adapter
    }
  }
}

extension Settings {
  /// The chosen adapter; `nil` for any.
  var adapter: BluetoothAddress? {
    text(.adapter).flatMap { BluetoothAddress($0, kind: .publicDevice) }
  }
}

/// An adapter address argument.
struct AdapterArgument: CheckedArgument {
  var address: BluetoothAddress

  init?(argument: String) {
    guard let address = BluetoothAddress(argument, kind: .publicDevice) else { return nil }
    self.address = address
  }

  static func rule(for argument: String) -> String {
    "an adapter is given by its address, such as 00:1B:DC:0A:0B:01"
  }
}
