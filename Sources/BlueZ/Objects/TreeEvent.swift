import DBus

/// Properties of one interface, by name, with their variants opened.
typealias Properties = [String: DBusValue]

/// What the bus said about the objects of bluetoothd, in the order in which it said it.
enum TreeEvent: Sendable {
  /// All objects, as GetManagedObjects told them.
  case snapshot([ObjectPath: [String: Properties]])
  case interfacesAdded(ObjectPath, [String: Properties])
  case interfacesRemoved(ObjectPath, [String])
  case propertiesChanged(ObjectPath, interface: String, changed: Properties, invalidated: [String])
  /// bluetoothd left the bus; all it exported is gone with it, without a signal for any of it.
  case daemonVanished
}

/// What one event did to the tree.
enum TreeChange: Hashable, Sendable {
  case added(ObjectPath, interface: String)
  case removed(ObjectPath, interface: String)
  /// Properties have new values, or were said again with the old ones.
  case changed(ObjectPath, interface: String, names: Set<String>)
  /// A characteristic's value was signalled: a notification, or what somebody has just read.
  case value(ObjectPath, [UInt8])
}
