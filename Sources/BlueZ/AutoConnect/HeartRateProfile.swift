import Bluetooth
import DBus

/// The D-Bus application that hrgate registers with bluetoothd, so that the kernel connects to heart-rate
/// monitors without a Connect call.
///
/// bluetoothd adds a known peripheral to the kernel's auto-connect list if a profile wants it connected. Each
/// org.bluez.GattProfile1 that a client registers is such a profile (BlueZ, `src/gatt-database.c`). The
/// property `Trusted` alone is not enough.
enum HeartRateProfile {
  static let root: ObjectPath = "/org/hrgate"
  private static let path: ObjectPath = "/org/hrgate/heartrate"

  /// Exports the application on a connection. ``BlueZCall/registerApplication(adapter:root:)`` then registers
  /// it with an adapter.
  static func export(on connection: BusConnection) async throws(BusError) {
    try await connection.export(ExportedObject(interfaces: [], isObjectManager: true), at: root)
    try await connection.export(ExportedObject(interfaces: [interface]), at: path)
  }

  private static let interface = ExportedInterface(
    name: BlueZInterface.gattProfile,
    methods: [
      // bluetoothd calls Release when it drops the profile, but not when it exits. There is nothing to do.
      ExportedMethod(name: "Release") { _ throws(BusError) in [] }
    ],
    properties: [
      ExportedProperty(
        name: "UUIDs",
        constant: .array(of: "s", BluetoothUUID.measured.map { .string($0.service.fullForm) }))
    ])
}
