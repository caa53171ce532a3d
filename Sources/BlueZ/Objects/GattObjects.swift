import Bluetooth
import DBus

/// A service of a connected peripheral, as org.bluez.GattService1 describes it.
struct GattService1: Hashable, Sendable {
  let path: ObjectPath
  let uuid: BluetoothUUID

  init?(at path: ObjectPath, _ properties: Properties) {
    guard let uuid = properties.uuid else { return nil }
    self.path = path
    self.uuid = uuid
  }
}

/// A characteristic, as org.bluez.GattCharacteristic1 describes it.
struct GattCharacteristic1: Hashable, Sendable {
  let path: ObjectPath
  let uuid: BluetoothUUID
  /// `read`, `notify`, `indicate` and others (Core Specification, Vol 3, Part G, §3.3.1.1, in BlueZ's
  /// spelling).
  let flags: Set<String>
  /// bluetoothd has turned its values on, for us or for another client.
  let isNotifying: Bool

  init?(at path: ObjectPath, _ properties: Properties) {
    guard let uuid = properties.uuid else { return nil }
    self.path = path
    self.uuid = uuid
    flags = Set((properties["Flags"]?.asArray ?? []).compactMap(\.asString))
    isNotifying = properties["Notifying"]?.asBool ?? false
  }

  /// The peripheral can push its value.
  var canNotify: Bool { !flags.isDisjoint(with: ["notify", "indicate"]) }
  /// Encryption may be wanted as well; that shows when it is read.
  var canBeRead: Bool { flags.contains { $0.hasSuffix("read") } }
}

/// A descriptor of a characteristic, as org.bluez.GattDescriptor1 describes it. bluetoothd keeps the
/// configuration descriptor (0x2902) to itself.
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
  /// The characteristics of a device, with the service that each belongs to.
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

  /// The descriptors of a characteristic, in the order of their paths, which is that of their handles.
  func descriptors(of characteristic: ObjectPath) -> [GattDescriptor1] {
    paths(of: BlueZInterface.gattDescriptor, below: characteristic).compactMap { path in
      properties(BlueZInterface.gattDescriptor, at: path).flatMap { GattDescriptor1(at: path, $0) }
    }
  }

  /// The first characteristic of a device with this UUID in this service.
  func characteristic(
    _ uuid: BluetoothUUID, in service: BluetoothUUID, of device: ObjectPath
  ) -> GattCharacteristic1? {
    characteristics(of: device).first { $0.service.uuid == service && $0.characteristic.uuid == uuid }?
      .characteristic
  }
}
