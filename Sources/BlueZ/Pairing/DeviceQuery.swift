import Bluetooth
import DBus

/// A search for a monitor by its address or its advertised name.
struct DeviceQuery: Hashable, Sendable {
  private let name: String?
  private let bits: UInt64?

  /// Creates a query from the user's input.
  init(_ text: String) {
    bits = BluetoothAddress(text, kind: .publicDevice)?.bits
    name = bits == nil ? text : nil
  }

  /// Creates a query that finds a device again after bluetoothd has removed it. If the monitor sent its
  /// identity address during pairing, its private address can no longer be resolved, so only the name can
  /// match.
  init(_ forgotten: Device1) {
    bits = forgotten.address.bits
    name = forgotten.name
  }

  var isAddress: Bool { bits != nil }

  /// Returns whether `device` matches by its address, so that no other device can be meant.
  func isSure(of device: Device1) -> Bool { device.address.bits == bits }

  /// Returns an adapter's devices that match the query.
  func matches(in tree: ObjectTree, _ adapter: ObjectPath) -> [Device1] {
    matches(among: tree.devices.filter { $0.adapter == adapter })
  }

  /// Returns the matching devices that the adapter is receiving or connected to. Devices that bluetoothd
  /// merely remembers do not count: after a device was removed, bluetoothd may create an object for the same
  /// identity when an older link ends.
  func heard(in tree: ObjectTree, _ adapter: ObjectPath) -> [Device1] {
    matches(among: tree.devices.filter { $0.adapter == adapter && ($0.rssi != nil || $0.isConnected) })
  }

  private func matches(among devices: [Device1]) -> [Device1] {
    if let bits, let device = devices.first(where: { $0.address.bits == bits }) { return [device] }
    guard let name else { return [] }
    return devices.filter { device in
      guard device.name?.lowercased() == name.lowercased() else { return false }
      return bits == nil || device.address.isPrivate && !device.isPaired
    }
  }
}
