import Bluetooth
import DBus

/// A service of a connected peripheral (org.bluez.GattService1).
struct GattService1: Hashable, Sendable {
  let path: ObjectPath
  let uuid: BluetoothUUID

  init?(at path: ObjectPath, _ properties: Properties) {
    guard let uuid = properties.uuid else { return nil }
    self.path = path
    self.uuid = uuid
  }
}

/// A characteristic (org.bluez.GattCharacteristic1).
struct GattCharacteristic1: Hashable, Sendable {
  let path: ObjectPath
  let uuid: BluetoothUUID
  /// For example `read`, `notify`, `indicate` (Core Specification, Vol 3, Part G, §3.3.1.1, in BlueZ's
  /// spelling).
  let flags: Set<String>
  /// Whether any client is subscribed.
  let isNotifying: Bool

  init?(at path: ObjectPath, _ properties: Properties) {
    guard let uuid = properties.uuid else { return nil }
    self.path = path
    self.uuid = uuid
    flags = Set((properties["Flags"]?.asArray ?? []).compactMap(\.asString))
    isNotifying = properties["Notifying"]?.asBool ?? false
  }

  /// Whether the characteristic supports notifications or indications.
  var canNotify: Bool { !flags.isDisjoint(with: ["notify", "indicate"]) }
  /// Whether the characteristic can be read, even if only over an encrypted link.
  var canBeRead: Bool { flags.contains { $0.hasSuffix("read") } }
}

/// A descriptor of a characteristic (org.bluez.GattDescriptor1). bluetoothd does not export the Client
/// Characteristic Configuration (0x2902).
struct GattDescriptor1: Hashable, Sendable {
  let path: ObjectPath
  let uuid: BluetoothUUID

  init?(at path: ObjectPath, _ properties: Properties) {
    guard let uuid = properties.uuid else { return nil }
    self.path = path
    self.uuid = uuid
  }
}

extension ObjectTree {
  /// Returns the characteristics of a device, each with its service.
  func characteristics(of device: ObjectPath) -> [(
    service: GattService1, characteristic: GattCharacteristic1
  )] {
    paths(of: BlueZInterface.gattService, below: device).flatMap { servicePath in
      guard
        let service = properties(BlueZInterface.gattService, at: servicePath).flatMap({
          GattService1(at: servicePath, $0)
        })
      else { return [(service: GattService1, characteristic: GattCharacteristic1)]() }
      return paths(of: BlueZInterface.gattCharacteristic, below: servicePath).compactMap { path in
        properties(BlueZInterface.gattCharacteristic, at: path)
          .flatMap { GattCharacteristic1(at: path, $0) }.map { (service, $0) }
      }
    }
  }

  /// Returns the descriptors of a characteristic, sorted by path, which is the order of their handles.
  func descriptors(of characteristic: ObjectPath) -> [GattDescriptor1] {
    paths(of: BlueZInterface.gattDescriptor, below: characteristic).compactMap { path in
      properties(BlueZInterface.gattDescriptor, at: path).flatMap { GattDescriptor1(at: path, $0) }
    }
  }

  /// Returns the first characteristic of a device with this UUID in this service.
  func characteristic(
    _ uuid: BluetoothUUID, in service: BluetoothUUID, of device: ObjectPath
  ) -> GattCharacteristic1? {
    characteristics(of: device).first { $0.service.uuid == service && $0.characteristic.uuid == uuid }?
      .characteristic
  }
}
