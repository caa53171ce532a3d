public import DBus

extension BluetoothFacts {
  private static let timeout = Duration.seconds(5)

  /// Reads systemd's `Restart=` of bluetooth.service.
  ///
  /// - Returns: `nil` if systemd does not respond or has no such unit.
  public static func restart(bus: BusAddress = .system) async -> String? {
    func property(_ interface: String, _ name: String) async -> String? {
      let call = MethodCall(
        destination: "org.freedesktop.systemd1", path: "/org/freedesktop/systemd1/unit/bluetooth_2eservice",
        interface: "org.freedesktop.DBus.Properties", member: "Get",
        body: [.string("org.freedesktop.systemd1.\(interface)"), .string(name)])
      return await SystemReply.ask(call, bus, timeout)?.first?.asString
    }
    // systemd also has properties for units that do not exist.
    guard await property("Unit", "LoadState") == "loaded" else { return nil }
    return await property("Service", "Restart")
  }
}
