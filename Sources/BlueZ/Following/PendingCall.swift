import Bluetooth
import DBus

/// The purpose of an unanswered call.
enum PendingCall: Hashable {
  /// The device of a Connect and the time of the call.
  struct Attempt: Hashable {
    let device: ObjectPath
    let since: BootTime
  }

  case connect(BluetoothAddress, Attempt)
  case subscribe(BluetoothAddress, ObjectPath)
  /// StartNotify for a subscription that bluetoothd already holds.
  case renew(BluetoothAddress, ObjectPath)
  /// StopNotify, to be followed by StartNotify on the same path in order to renew the subscription.
  case resubscribe(BluetoothAddress, ObjectPath)
  case describe(BluetoothAddress, ObjectPath, BluetoothUUID)
  case removeDevice(BluetoothAddress)
  case resetEnergy(BluetoothAddress)
  case register(ObjectPath)
  case filter(ObjectPath)
  case startDiscovery(ObjectPath)
  case stopDiscovery(ObjectPath)
  /// A ping whose reply shows that no more copies of the last value will come.
  case separate(BluetoothAddress)
  /// A ping that checks whether bluetoothd responds.
  case probe

  var isPing: Bool {
    switch self {
    case .separate, .probe: true
    default: false
    }
  }

  /// Whether the call can affect a bluetoothd that is started after the call was sent.
  var outlivesDaemon: Bool {
    switch self {
    case .connect, .startDiscovery: true
    default: false
    }
  }
}
