package import Bluetooth
package import DBus

/// A local controller, as org.bluez.Adapter1 describes it.
package struct Adapter1: Hashable, Sendable {
  package let path: ObjectPath
  package let address: BluetoothAddress
  /// The name that the machine gives to others.
  package let alias: String
  package let isPowered: Bool
  /// `on`, `off`, `off-blocked` and such; absent before BlueZ 5.66, and in it where experimental
  /// interfaces are off.
  package let powerState: String?
  /// Somebody's discovery is going on, not necessarily ours.
  package let isDiscovering: Bool
  /// What the host calls itself to others, in the notation of the kernel's.
  package let modalias: String?

  /// - Returns: `nil` where the address, which names the adapter, cannot be read.
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

  /// rfkill holds it off; switching it on is the user's to do.
  package var isBlocked: Bool { powerState == "off-blocked" }

  /// Whether the user who names `wanted` means this one: a person writes the bits and not of which kind they
  /// are. `nil` means any.
  func isMeant(by wanted: BluetoothAddress?) -> Bool { wanted == nil || wanted?.bits == address.bits }
}

extension ObjectTree {
  func adapter(at path: ObjectPath) -> Adapter1? { typed.adapters[path] }

  /// The adapters, in the order of their paths.
  var adapters: [Adapter1] { typed.adapters.values.sorted { $0.path.rawValue < $1.path.rawValue } }
}
