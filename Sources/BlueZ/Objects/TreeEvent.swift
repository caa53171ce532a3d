import Bluetooth
import DBus

/// Properties of one interface, by name, with their variants opened.
typealias Properties = [String: DBusValue]

extension Properties {
  /// Of an adapter or a device; `nil` where it cannot be read. A kind that is not said is public.
  var address: BluetoothAddress? {
    let kind: BluetoothAddress.Kind = self["AddressType"]?.asString == "random" ? .random : .publicDevice
    return self["Address"]?.asString.flatMap { BluetoothAddress($0, kind: kind) }
  }

  /// Of an attribute; `nil` where it cannot be read.
  var uuid: BluetoothUUID? { self["UUID"]?.asString.flatMap(BluetoothUUID.init) }
}

/// What the bus said about the objects of bluetoothd, in the order in which it said it.
enum TreeEvent: Sendable {
  /// All objects, as GetManagedObjects told them.
  case snapshot([ObjectPath: [String: Properties]])
  case interfacesAdded(ObjectPath, [String: Properties])
  case interfacesRemoved(ObjectPath, [String])
  case propertiesChanged(ObjectPath, interface: String, changed: Properties, invalidated: [String])
  /// bluetoothd is not on the bus, or is another than before: all it exported is gone, without a signal for
  /// any of it.
  case daemonVanished
  /// Some of what it said was lost. A snapshot follows, or word that bluetoothd is away; notifications may be
  /// missing.
  case signalsLost
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
