public import DBus

extension ServiceFacts {
  private static let timeout = Duration.seconds(5)

  /// Reads the units that can run this user's gateway from the system's and the user's systemd.
  ///
  /// - Parameters:
  ///   - machines: The system unit for the user; `nil` if there can be none.
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

  /// - Returns: `nil` if no manager answers.
  private static func states(of unit: String?, _ bus: BusAddress) async -> [String: Unit]? {
    guard let unit,
      let units = await ask("ListUnitsByPatterns", [.strings([]), .strings([unit])], bus)?.first?.asArray
    else { return nil }
    let file = await ask("GetUnitFileState", [.string(unit)], bus)?.first?.asString
    // Name, description, load state, active state, and more. Units that are not loaded are not listed.
    let state = units.lazy.compactMap(\.asStructure).first { $0.count > 3 && $0[0].asString == unit }?[3]
      .asString
    guard file != nil || state != nil else { return [:] }
    return [unit: Unit(state ?? "inactive", isEnabled: file?.hasPrefix("enabled") == true)]
  }

  private static func ask(_ method: String, _ body: [DBusValue], _ bus: BusAddress) async -> [DBusValue]? {
    let call = MethodCall(
      destination: "org.freedesktop.systemd1", path: "/org/freedesktop/systemd1",
      interface: "org.freedesktop.systemd1.Manager", member: method, body: body)
    return await SystemReply.ask(call, bus, timeout)
  }
}
