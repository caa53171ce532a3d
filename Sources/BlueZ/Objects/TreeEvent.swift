import Bluetooth
import DBus

/// The properties of one D-Bus interface by name. Variants are unwrapped.
typealias Properties = [String: DBusValue]

extension Properties {
  /// The address of an adapter or a device; `nil` if it is missing or invalid. Without an `AddressType`, the
  /// address is assumed to be public.
  var address: BluetoothAddress? {
    let kind: BluetoothAddress.Kind = self["AddressType"]?.asString == "random" ? .random : .publicDevice
    return self["Address"]?.asString.flatMap { BluetoothAddress($0, kind: kind) }
  }

  /// The UUID of an attribute; `nil` if it is missing or invalid.
  var uuid: BluetoothUUID? { self["UUID"]?.asString.flatMap(BluetoothUUID.init) }
}

/// A change of bluetoothd's objects. Events are in the order of the bus messages.
enum TreeEvent: Sendable {
  /// All objects, from GetManagedObjects.
  case snapshot([ObjectPath: [String: Properties]])
  case interfacesAdded(ObjectPath, [String: Properties])
  case interfacesRemoved(ObjectPath, [String])
  case propertiesChanged(ObjectPath, interface: String, changed: Properties, invalidated: [String])
  /// bluetoothd has left the bus or was replaced. All its objects are gone, without individual signals.
  case daemonVanished
  /// Signals were lost, so notifications may be missing. A snapshot or ``daemonVanished`` follows.
  case signalsLost
}

/// The effect of one event on the tree.
enum TreeChange: Hashable, Sendable {
  case added(ObjectPath, interface: String)
  case removed(ObjectPath, interface: String)
  /// Properties have new values, or were signaled again with the same values.
  case changed(ObjectPath, interface: String, names: Set<String>)
  /// A characteristic's value was signaled: a notification, or the result of any client's read.
  case value(ObjectPath, [UInt8])
}
