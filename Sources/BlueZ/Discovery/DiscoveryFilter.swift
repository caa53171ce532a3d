import DBus

/// A discovery filter (org.bluez.Adapter1, SetDiscoveryFilter) with LE as its only condition. bluetoothd
/// merges the filters of all its clients, so it may still report BR/EDR devices.
///
/// The filter does not contain service UUIDs: a monitor may not advertise its services, and bluetoothd 5.87
/// crashes on a filter with UUIDs (bluez #2282).
package struct DiscoveryFilter: Hashable, Sendable {
  package init() {}

  var properties: [String: DBusValue] { ["Transport": .string("le")] }
}
