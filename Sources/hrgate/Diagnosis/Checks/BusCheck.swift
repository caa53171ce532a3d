/// Checks whether this user may call bluetoothd over D-Bus.
enum BusCheck {
  private static let name = "bus"

  static func findings(_ bluetooth: BluetoothFacts) -> [Finding] {
    switch bluetooth.access {
    case .busAbsent(let why):
      [
        Finding(
          name, .fail, "there is no D-Bus system bus (\(why))", advice: "Start D-Bus: systemctl start dbus")
      ]
    case .userRefused(let why):
      [
        Finding(
          name, .fail, "it does not accept this user (\(why))",
          advice: "Run hrgate as a user that the system knows (getent passwd), not in a container that maps "
            + "users to other numbers")
      ]
    case .notPermitted(let why):
      [
        Finding(
          name, .fail, "its policy does not allow this user to call bluetoothd (\(why))",
          advice: "Join the group with access, then log in again: usermod -aG bluetooth USER")
      ]
    case .refused(let why):
      [
        Finding(
          name, .fail, "it rejects this program (\(why))", advice: "List its clients: busctl --system list")
      ]
    case .answering, .daemonAbsent, .notAnswering: [Finding(name, .ok, "this user may call bluetoothd")]
    }
  }
}
