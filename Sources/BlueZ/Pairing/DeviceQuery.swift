import Bluetooth
import DBus

/// How the user names a monitor: by its address, or by the name that it advertises.
struct DeviceQuery: Hashable, Sendable {
  private let text: String
  private let bits: UInt64?

  init(_ text: String) {
    self.text = text
    bits = BluetoothAddress(text, kind: .publicDevice)?.bits
  }

  var isAddress: Bool { bits != nil }

  /// The devices that an adapter knows by it.
  func matches(in tree: ObjectTree, _ adapter: ObjectPath) -> [Device1] {
    tree.devices.filter { device in
      guard device.adapter == adapter else { return false }
      if let bits { return device.address.bits == bits }
      return device.name?.lowercased() == text.lowercased()
    }
  }

  /// Those of them that are in the air now.
  func heard(in tree: ObjectTree, _ adapter: ObjectPath) -> [Device1] {
    matches(in: tree, adapter).filter { $0.rssi != nil || $0.isConnected }
  }
}
