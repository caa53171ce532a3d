public import Bluetooth
import DBus

/// The reason why Bluetooth cannot be used on this machine. The description is one sentence with the reason,
/// followed by advice.
public enum BlueZUnavailableError: Error, Hashable, Sendable, CustomStringConvertible {
  /// There is no D-Bus system bus. Contains the error message.
  case busAbsent(String)
  /// The D-Bus daemon rejects this user. Contains its message.
  case userRefused(String)
  case daemonAbsent
  /// bluetoothd is running but does not respond.
  case notAnswering
  case adapterAbsent
  /// There are adapters, but not the requested one.
  case adapterUnknown(BluetoothAddress)
  case adapterOff
  case adapterBlocked
  /// The policy of the bus does not allow this user to call bluetoothd.
  case notPermitted(String)
  /// The bus rejects a basic request, for example because there are too many clients or match rules.
  case refused(String)

  public var description: String {
    switch self {
    case .busAbsent(let why):
      "There is no D-Bus system bus (\(why)). Start it: systemctl start dbus"
    case .userRefused(let why):
      "The D-Bus system bus rejects this user (\(why)). \(BusAccessAdvice.remedy)"
    case .daemonAbsent:
      "bluetoothd is not running. Install it (apt install bluez) and start it: systemctl start bluetooth"
    case .notAnswering:
      "bluetoothd does not answer. Restart it: systemctl restart bluetooth"
    case .adapterAbsent:
      "There is no Bluetooth adapter. Plug one in, or search the kernel log: dmesg | grep -i bluetooth"
    case .adapterUnknown(let address):
      "There is no Bluetooth adapter \(address). List the adapters: bluetoothctl list"
    case .adapterOff:
      "The Bluetooth adapter is off. Switch it on: rfkill unblock bluetooth; bluetoothctl power on"
    case .adapterBlocked:
      "The Bluetooth adapter is blocked by rfkill. Unblock it: rfkill unblock bluetooth"
    case .notPermitted(let why):
      "This user may not use bluetoothd (\(why)). Add the user to the group bluetooth: usermod -aG bluetooth USER"
    case .refused(let why):
      "The D-Bus system bus rejects hrgate (\(why)). List its clients: busctl --system list"
    }
  }

  /// Creates the error for a bus that could not be opened.
  init(opening error: BusError) {
    let why = error.message.isEmpty ? error.name.rawValue : error.message
    self = error.refusesUser ? .userRefused(why) : .busAbsent(why)
  }

  init(_ error: BusError) {
    switch BlueZError(error).meaning {
    case .noAnswer: self = .notAnswering
    case .notPermitted: self = .notPermitted(error.message)
    default: self = .refused(error.description)
    }
  }
}
