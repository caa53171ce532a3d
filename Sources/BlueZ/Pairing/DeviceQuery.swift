import Bluetooth
import DBus

/// How a monitor is named: by its address, or by the name that it advertises.
struct DeviceQuery: Hashable, Sendable {
  private let name: String?
  private let bits: UInt64?

  /// As the user names it.
  init(_ text: String) {
    bits = BluetoothAddress(text, kind: .publicDevice)?.bits
    name = bits == nil ? text : nil
  }

  /// A device that bluetoothd is made to forget. If it had told its identity while it was paired, then it is
  /// under a private address that it will be heard again, where nobody can tell whose that is: its name will
  /// do.
  init(_ forgotten: Device1) {
    bits = forgotten.address.bits
    name = forgotten.name
  }

  var isAddress: Bool { bits != nil }

  /// Whether a device is meant, and no other can be.
  func isSure(of device: Device1) -> Bool { device.address.bits == bits }

  /// The devices that an adapter knows by it.
  func matches(in tree: ObjectTree, _ adapter: ObjectPath) -> [Device1] {
    matches(among: tree.devices.filter { $0.adapter == adapter })
  }

  /// Those that are in the air now. What bluetoothd only remembers does not stand for them: it may make a
  /// device of the identity anew, where a link of before ends after it was made to forget it.
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
