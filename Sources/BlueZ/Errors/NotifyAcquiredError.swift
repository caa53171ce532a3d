public import Bluetooth
import DBus

/// Another program has acquired a monitor's notifications (AcquireNotify), so the monitor cannot be removed
/// or subscribed to.
///
/// If a link drops during AcquireNotify, bluetoothd before 5.84 keeps an acquisition that belongs to no
/// program. Only a restart of bluetoothd ends it.
public struct NotifyAcquiredError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The monitor whose notifications are acquired.
  public let monitor: BluetoothAddress

  public var description: String {
    "Another program has acquired the notifications of \(monitor) (AcquireNotify), and bluetoothd may crash if they are stopped or the monitor is removed. \(Self.remedy)"
  }

  /// A remedy for the user, as sentences.
  static let remedy =
    "End that program. If no program uses the monitor, restart bluetoothd: systemctl restart bluetooth"
}

extension BlueZError {
  /// What bluetoothd answers to StartNotify while notifications are acquired.
  static let notifyAcquired = BlueZError(name: "org.bluez.Error.NotPermitted", message: "Notify acquired")
}

extension ObjectTree {
  /// The acquired characteristic that a call would affect. Such a call must not be sent. `nil` if the call is
  /// safe.
  ///
  /// StopNotify ends an acquisition although it is another program's. If it belongs to no program, StopNotify
  /// and RemoveDevice crash bluetoothd before 5.84.
  func acquisition(affectedBy call: BlueZCall) -> ObjectPath? {
    switch call {
    case .stopNotify(let path): isAcquired(path) ? path : nil
    case .removeDevice(_, let device): acquisition(of: device)
    default: nil
    }
  }

  /// The first acquired characteristic of a device.
  func acquisition(of device: ObjectPath) -> ObjectPath? {
    paths(of: BlueZInterface.gattCharacteristic, below: device).first(where: isAcquired)
  }

  func isAcquired(_ characteristic: ObjectPath) -> Bool {
    properties(BlueZInterface.gattCharacteristic, at: characteristic)?["NotifyAcquired"]?.asBool == true
  }
}
