package import Bluetooth
package import DBus

/// A local Bluetooth adapter (org.bluez.Adapter1).
package struct Adapter1: Hashable, Sendable {
  package let path: ObjectPath
  package let address: BluetoothAddress
  /// The name that other devices see.
  package let alias: String
  package let isPowered: Bool
  /// For example `on`, `off`, `off-blocked`. `nil` before BlueZ 5.66, and in 5.66 without experimental
  /// interfaces.
  package let powerState: String?
  /// Whether a discovery is running, of this program or another one.
  package let isDiscovering: Bool
  /// The host's device ID, in the format of a kernel modalias. It contains bluetoothd's version.
  package let modalias: String?

  /// - Returns: `nil` if the address is missing or invalid.
  init?(at path: ObjectPath, _ properties: Properties) {
    guard let address = properties.address else { return nil }
    self.path = path
    self.address = address
    alias = properties["Alias"]?.asString ?? properties["Name"]?.asString ?? String(path.lastComponent)
    isPowered = properties["Powered"]?.asBool ?? false
    powerState = properties["PowerState"]?.asString
    isDiscovering = properties["Discovering"]?.asBool ?? false
    modalias = properties["Modalias"]?.asString
  }

  /// Whether rfkill blocks the adapter. Only the user can unblock it.
  package var isBlocked: Bool { powerState == "off-blocked" }

  /// Whether the user's choice is this adapter; `nil` means any. Only the address bits are compared, because
  /// users do not specify public or random.
  func isMeant(by wanted: BluetoothAddress?) -> Bool { wanted == nil || wanted?.bits == address.bits }
}

extension ObjectTree {
  func adapter(at path: ObjectPath) -> Adapter1? { typed.adapters[path] }

  /// The adapters, sorted by path.
  var adapters: [Adapter1] { typed.adapters.values.sorted { $0.path.rawValue < $1.path.rawValue } }
}
