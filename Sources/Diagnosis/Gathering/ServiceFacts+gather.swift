public import DBus

extension ServiceFacts {
  private static let patience = Duration.seconds(5)

  /// Asks systemd, the machine's and the user's own, for the units that can keep this user's gateway running.
  ///
  /// - Parameters:
  ///   - machines: The machine's unit for the user; `nil` where there can be none.
  ///   - own: The unit of the user's own manager.
  public static func gather(
    machines: String?, own: String, system: BusAddress = .system, session: BusAddress = .session
  ) async -> ServiceFacts {
    async let ofMachine = states(of: machines, system)
    async let ofUser = states(of: own, session)
    let (machine, user) = (await ofMachine, await ofUser)
    guard machine != nil || user != nil else { return .unknown }
    return .units((machine ?? [:]).merging(user ?? [:]) { $1 })
  }

  /// - Returns: `nil` where no manager answers.
  private static func states(of unit: String?, _ bus: BusAddress) async -> [String: String]? {
    let call = MethodCall(
      destination: "org.freedesktop.systemd1", path: "/org/freedesktop/systemd1",
      interface: "org.freedesktop.systemd1.Manager", member: "ListUnitsByPatterns",
      body: [.strings([]), .strings([unit].compactMap(\.self))])
    guard let unit, let units = await SystemAnswer.ask(call, bus, patience)?.first?.asArray else {
      return nil
    }
    var states: [String: String] = [:]
    for each in units {
      // Name, description, whether it was loaded, active, and more.
      guard let fields = each.asStructure, fields.count > 3, fields[0].asString == unit,
        let state = fields[3].asString
      else { continue }
      states[unit] = state
    }
    return states
  }
}
