import DBus

/// A filter of discoveries (org.bluez.Adapter1, SetDiscoveryFilter): everything that is heard on LE.
/// bluetoothd merges the filters of all its clients, so it may report more.
///
/// The filter has no service UUIDs: a monitor may not advertise its services, and bluetoothd 5.87 crashes on
/// a filter with UUIDs (bluez #2282).
package struct DiscoveryFilter: Hashable, Sendable {
  package init() {}

  var properties: [String: DBusValue] { ["Transport": .string("le")] }
}
