import Bluetooth
import DBus

/// The application that bluetoothd is given so that the kernel connects to heart-rate monitors by itself.
///
/// bluetoothd puts a known peripheral on the kernel's list when a profile wants it connected, and each
/// org.bluez.GattProfile1 that a client registers is such a profile (BlueZ, `src/gatt-database.c`). *Trusted*
/// alone does not do it.
enum HeartRateProfile {
  static let root: ObjectPath = "/org/hrgate"
  private static let path: ObjectPath = "/org/hrgate/heartrate"

  /// Offers the application on a connection; ``BlueZCall/registerApplication(adapter:root:)`` then names it
  /// to an adapter.
  static func export(on connection: BusConnection) async throws(BusError) {
    try await connection.export(ExportedObject(interfaces: [], isObjectManager: true), at: root)
    try await connection.export(ExportedObject(interfaces: [interface]), at: path)
  }

  private static let interface = ExportedInterface(
    name: BlueZInterface.gattProfile,
    methods: [
      // bluetoothd says that it let go of the profile; at its end it just goes.
      ExportedMethod(name: "Release") { _ throws(BusError) in [] }
    ],
    properties: [
      ExportedProperty(name: "UUIDs", constant: .array(of: "s", [.string(BluetoothUUID.heartRate.fullForm)]))
    ])
}
