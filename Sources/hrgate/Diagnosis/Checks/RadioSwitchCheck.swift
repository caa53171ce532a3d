/// Checks whether rfkill blocks Bluetooth.
enum RadioSwitchCheck {
  private static let name = "rfkill"

  static func findings(_ machine: MachineFacts) -> [Finding] {
    let blocked = machine.radioSwitches.filter { $0.isSoftBlocked || $0.isHardBlocked }
    if blocked.isEmpty { return [Finding(name, .ok, "Bluetooth is not blocked")] }
    return blocked.map { found in
      found.isHardBlocked
        ? Finding(
          name, of: found.name, .fail, "a hardware switch or key blocks Bluetooth",
          advice: "Turn it on: a switch on the case, a key with an antenna, or a firmware setting.")
        : Finding(
          name, of: found.name, .fail, "Bluetooth is blocked",
          advice: "Unblock it: rfkill unblock bluetooth")
    }
  }
}
