import Bluetooth
import DBus

/// What an answer is awaited for.
enum Purpose: Hashable {
  /// Whom a Connect was sent to, and when.
  struct Attempt: Hashable {
    let device: ObjectPath
    let since: BootTime
  }

  case connect(BluetoothAddress, Attempt)
  case subscribe(BluetoothAddress, ObjectPath)
  /// StartNotify for a subscription that bluetoothd already holds.
  case renew(BluetoothAddress, ObjectPath)
  /// StopNotify before StartNotify on the same path.
  case resubscribe(BluetoothAddress, ObjectPath)
  case describe(BluetoothAddress, ObjectPath, BluetoothUUID)
  case removeDevice(BluetoothAddress)
  case resetEnergy(BluetoothAddress)
  case register(ObjectPath)
  case filter(ObjectPath)
  case startDiscovery(ObjectPath)
  case stopDiscovery(ObjectPath)
  /// Ping: the answer divides the values before it from those after it.
  case separate(BluetoothAddress)
  /// Ping: whether bluetoothd answers.
  case probe

  var isPing: Bool {
    switch self {
    case .separate, .probe: true
    default: false
    }
  }

  /// An operation already started still counts after the daemon restarts.
  var outlivesDaemon: Bool {
    switch self {
    case .connect, .startDiscovery: true
    default: false
    }
  }
}
