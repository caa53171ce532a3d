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

/// Checks whether there is an adapter and whether it is on.
enum AdapterCheck {
  private static let name = "adapter"

  static func findings(_ bluetooth: BluetoothFacts, _ machine: MachineFacts) -> [Finding] {
    guard bluetooth.access == .answering else {
      // bluetoothd does not respond. The kernel still knows whether there is an adapter.
      return machine.adapters.isEmpty ? [absent] : []
    }
    if bluetooth.adapters.isEmpty, machine.adapters.isEmpty { return [absent] }
    let known = Set(bluetooth.adapters.map(\.name))
    let unknown = machine.adapters.filter { !known.contains($0) }.map { adapter in
      // One adapter known to bluetoothd is enough for all monitors.
      Finding(
        name, of: adapter, known.isEmpty ? .fail : .warn, "the kernel has it, but bluetoothd does not",
        advice: "Restart bluetoothd: systemctl restart bluetooth; check: dmesg | grep -i bluetooth")
    }
    let isAnyOn = bluetooth.adapters.contains(where: \.isPowered)
    return bluetooth.adapters.map { adapter in
      if adapter.isPowered { return Finding(name, of: adapter.name, .ok, "it is on") }
      // One adapter that is on is enough for all monitors.
      return Finding(
        name, of: adapter.name, isAnyOn ? .warn : .fail, "it is off",
        advice: "Turn it on: bluetoothctl power on")
    } + unknown
  }

  private static let absent = Finding(
    name, .fail, "there is no adapter", advice: "Plug one in, or check: dmesg | grep -i bluetooth")
}

/// Checks for a discovery that never ends. It uses radio time, so connections are slow or fail.
enum DiscoveryCheck {
  private static let name = "discovery"

  static func findings(_ bluetooth: BluetoothFacts) -> [Finding] {
    guard bluetooth.access == .answering else { return [] }
    let stuck = bluetooth.adapters.filter(\.isDiscoveringForGood)
    if stuck.isEmpty { return [Finding(name, .ok, "no endless discovery")] }
    return stuck.map { adapter in
      Finding(
        name, of: adapter.name, .warn, "a discovery does not end",
        advice: "Close the program that scans (bluetoothctl scan on, the desktop's settings), or end it: "
          + "systemctl restart bluetooth")
    }
  }
}
