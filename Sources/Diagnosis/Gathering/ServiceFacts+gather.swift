public import DBus

extension ServiceFacts {
  private static let patience = Duration.seconds(5)

  /// Asks systemd for the gateway's units.
  public static func gather(bus: BusAddress = .system) async -> ServiceFacts {
    let call = MethodCall(
      destination: "org.freedesktop.systemd1", path: "/org/freedesktop/systemd1",
      interface: "org.freedesktop.systemd1.Manager", member: "ListUnitsByPatterns",
      body: [.strings([]), .strings(["hrgate*.service"])])
    guard let units = await SystemAnswer.ask(call, bus, patience)?.first?.asArray else { return .unknown }
    var states: [String: String] = [:]
    for unit in units {
      // Name, description, whether it was loaded, active, and more.
      guard let fields = unit.asStructure, fields.count > 3, let name = fields[0].asString,
        let state = fields[3].asString
      else { continue }
      states[name] = state
    }
    return .units(states)
  }
}
