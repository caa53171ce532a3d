public import Bluetooth
import DBus

/// Another program has acquired a monitor's notifications (AcquireNotify), so hrgate can neither subscribe to
/// the monitor nor remove it.
///
/// If a link drops during AcquireNotify, bluetoothd before 5.84 keeps the notifications acquired although no
/// program uses them. Only restarting bluetoothd helps.
public struct NotifyAcquiredError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The monitor whose notifications are acquired.
  public let monitor: BluetoothAddress

  public var description: String {
    "Another program has acquired the notifications of \(monitor) (AcquireNotify), and bluetoothd may crash if they are stopped or the monitor is removed. \(Self.remedy)"
  }

  /// Advice for the user, as sentences.
  static let remedy =
    "End that program. If no program uses the monitor, restart bluetoothd: systemctl restart bluetooth"
}

extension BlueZError {
  /// The error that bluetoothd returns for StartNotify while notifications are acquired.
  static let notifyAcquired = BlueZError(name: "org.bluez.Error.NotPermitted", message: "Notify acquired")
}

extension ObjectTree {
  /// Returns the characteristic whose acquisition (AcquireNotify) makes `call` unsafe: the call would end the
  /// acquisition or crash bluetoothd. Returns `nil` if the call is safe.
  ///
  /// StopNotify ends an acquisition even if it belongs to another program. If no program owns the acquisition
  /// any longer, StopNotify and RemoveDevice crash bluetoothd before 5.84.
  func acquisition(affectedBy call: BlueZCall) -> ObjectPath? {
    switch call {
    case .stopNotify(let path): isAcquired(path) ? path : nil
    case .removeDevice(_, let device): acquisition(of: device)
    default: nil
    }
  }

  /// Returns the first characteristic of a device whose notifications are acquired.
  func acquisition(of device: ObjectPath) -> ObjectPath? {
    paths(of: BlueZInterface.gattCharacteristic, below: device).first(where: isAcquired)
  }

  func isAcquired(_ characteristic: ObjectPath) -> Bool {
    properties(BlueZInterface.gattCharacteristic, at: characteristic)?["NotifyAcquired"]?.asBool == true
  }
}
