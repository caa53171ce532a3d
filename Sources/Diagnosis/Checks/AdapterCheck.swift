/// Whether there is an adapter, and whether it is on.
enum AdapterCheck {
  private static let name = "adapter"

  static func findings(_ bluetooth: BluetoothFacts, _ machine: MachineFacts) -> [Finding] {
    guard bluetooth.access == .answering else {
      // bluetoothd cannot be asked, and the kernel knows whether there is one.
      return machine.adapters.isEmpty ? [absent] : []
    }
    if bluetooth.adapters.isEmpty {
      guard !machine.adapters.isEmpty else { return [absent] }
      return [
        Finding(
          name, .fail, "the kernel has \(machine.adapters.joined(separator: ", ")), and bluetoothd does not",
          advice: "Start it anew: systemctl restart bluetooth; look at: dmesg | grep -i bluetooth")
      ]
    }
    let isAnyOn = bluetooth.adapters.contains(where: \.isPowered)
    return bluetooth.adapters.map { adapter in
      if adapter.isPowered { return Finding(name, of: adapter.name, .ok, "it is on") }
      // One that is on serves all monitors.
      return Finding(
        name, of: adapter.name, isAnyOn ? .warn : .fail, "it is off",
        advice: "Switch it on: bluetoothctl power on")
    }
  }

  private static let absent = Finding(
    name, .fail, "there is none", advice: "Plug one in, or look for it with: dmesg | grep -i bluetooth")
}
