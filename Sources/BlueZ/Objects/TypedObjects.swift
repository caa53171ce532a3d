import Bluetooth
import DBus

/// The adapters and devices of an ``ObjectTree``, decoded once per change instead of at each access.
struct TypedObjects: Sendable {
  private(set) var adapters: [ObjectPath: Adapter1] = [:]
  private(set) var devices: [ObjectPath: Device1] = [:]
  /// The paths of the devices with each address, sorted.
  private var devicePaths: [BluetoothAddress: [ObjectPath]] = [:]

  /// Returns the devices with this address, sorted by path, at most one per adapter.
  func devices(with address: BluetoothAddress) -> [Device1] {
    (devicePaths[address] ?? []).compactMap { devices[$0] }
  }

  /// Stores the new properties of an interface; `nil` removes it.
  mutating func update(_ interface: String, at path: ObjectPath, to properties: Properties?) {
    switch interface {
    case BlueZInterface.adapter: adapters[path] = properties.flatMap { Adapter1(at: path, $0) }
    case BlueZInterface.device: replaceDevice(at: path, by: properties.flatMap { Device1(at: path, $0) })
    default: break
    }
  }

  private mutating func replaceDevice(at path: ObjectPath, by device: Device1?) {
    let before = devices[path]?.address
    devices[path] = device
    guard before != device?.address else { return }
    if let before {
      devicePaths[before]?.removeAll { $0 == path }
      if devicePaths[before]?.isEmpty == true { devicePaths[before] = nil }
    }
    if let device {
      devicePaths[device.address, default: []].append(path)
      devicePaths[device.address]?.sort { $0.rawValue < $1.rawValue }
    }
  }
}
