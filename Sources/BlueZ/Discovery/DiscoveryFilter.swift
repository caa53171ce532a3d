import DBus

/// A filter of discoveries (org.bluez.Adapter1, SetDiscoveryFilter): LE only, no other condition. bluetoothd
/// merges the filters of all its clients, so it may report BR/EDR devices too.
///
/// The filter has no service UUIDs: a monitor may not advertise its services, and bluetoothd 5.87 crashes on
/// a filter with UUIDs (bluez #2282).
package struct DiscoveryFilter: Hashable, Sendable {
  package init() {}

  var properties: [String: DBusValue] { ["Transport": .string("le")] }
}
