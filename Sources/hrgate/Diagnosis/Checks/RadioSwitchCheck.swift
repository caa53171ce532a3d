/// Checks whether rfkill blocks Bluetooth.
enum RadioSwitchCheck {
  private static let name = "rfkill"

  static func findings(_ machine: MachineFacts) -> [Finding] {
    let blocked = machine.radioSwitches.filter { $0.isSoftBlocked || $0.isHardBlocked }
    if blocked.isEmpty { return [Finding(name, .ok, "no switch holds Bluetooth off")] }
    return blocked.map { found in
      found.isHardBlocked
        ? Finding(
          name, of: found.name, .fail, "a switch or key of the machine holds Bluetooth off",
          advice: "Turn it on: a switch at the case, a key with an antenna, or a setting of the firmware.")
        : Finding(
          name, of: found.name, .fail, "Bluetooth is blocked",
          advice: "Lift the block: rfkill unblock bluetooth")
    }
  }
}
