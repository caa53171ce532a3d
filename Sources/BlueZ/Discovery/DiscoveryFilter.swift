import DBus

/// What a discovery reports (org.bluez.Adapter1, SetDiscoveryFilter): everything that is heard on LE.
/// bluetoothd joins the filters of all its clients, so more may come than was asked for.
///
/// It names no services: a monitor that is sought may not advertise its own, and bluetoothd 5.87 dies of a
/// filter with UUIDs (bluez #2282).
package struct DiscoveryFilter: Hashable, Sendable {
  package init() {}

  var properties: [String: DBusValue] { ["Transport": .string("le")] }
}
