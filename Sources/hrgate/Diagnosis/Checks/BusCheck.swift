/// Checks whether this user may call bluetoothd over D-Bus.
enum BusCheck {
  private static let name = "bus"

  static func findings(_ bluetooth: BluetoothFacts) -> [Finding] {
    switch bluetooth.access {
    case .busAbsent(let why):
      [
        Finding(
          name, .fail, "there is no D-Bus system bus (\(why))", advice: "Start it: systemctl start dbus")
      ]
    case .userRefused(let why):
      [
        Finding(
          name, .fail, "it does not take this user (\(why))",
          advice: "Run hrgate as a user whom the system knows (getent passwd), not in a container that gives "
            + "users other numbers")
      ]
    case .notPermitted(let why):
      [
        Finding(
          name, .fail, "its policy does not let this user speak to bluetoothd (\(why))",
          advice: "Join the group that may, and log in anew: usermod -aG bluetooth USER")
      ]
    case .refused(let why):
      [
        Finding(
          name, .fail, "it refuses this program (\(why))", advice: "See what holds it: busctl --system list")
      ]
    case .answering, .daemonAbsent, .notAnswering: [Finding(name, .ok, "this user may speak to bluetoothd")]
    }
  }
}
