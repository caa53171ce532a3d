package import Bluetooth
import DBus

/// What a discovery reports (org.bluez.Adapter1, SetDiscoveryFilter). bluetoothd joins the filters of all its
/// clients, so more may come than was asked for.
package struct DiscoveryFilter: Hashable, Sendable {
  /// Only peripherals that advertise one of these; empty for all.
  package var services: [BluetoothUUID]

  package init(services: [BluetoothUUID]) { self.services = services }

  var properties: [String: DBusValue] {
    var properties: [String: DBusValue] = ["Transport": .string("le")]
    if !services.isEmpty { properties["UUIDs"] = .array(of: "s", services.map { .string($0.fullForm) }) }
    return properties
  }
}
