public import DBus
import Foundation

/// A call to a system service that may be absent.
enum SystemReply {
  /// Calls a method of a system service.
  /// - Returns: `nil` if the service does not respond.
  static func ask(_ call: MethodCall, _ bus: BusAddress, _ timeout: Duration) async -> [DBusValue]? {
    guard let connection = try? await BusConnection.open(bus) else { return nil }
    let reply = try? await connection.call(call, timeout: timeout)
    await connection.close()
    return reply?.body
  }
}

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

extension ClockFacts {
  private static let timeout = Duration.seconds(5)

  /// Reads the clock, and from systemd whether it is synchronized.
  public static func gather(bus: BusAddress = .system) async -> ClockFacts {
    let call = MethodCall(
      destination: "org.freedesktop.timedate1", path: "/org/freedesktop/timedate1",
      interface: "org.freedesktop.DBus.Properties", member: "Get",
      body: [.string("org.freedesktop.timedate1"), .string("NTPSynchronized")])
    let answer = await SystemReply.ask(call, bus, timeout)
    return ClockFacts(
      now: Date.now.timeIntervalSince1970, isSynchronised: answer?.first?.asBool)
  }
}

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

  /// Reads the state of a unit from one systemd manager.
  /// - Returns: `nil` if the manager does not answer.
  private static func states(of unit: String?, _ bus: BusAddress) async -> [String: Unit]? {
    guard let unit,
      let units = await ask("ListUnitsByPatterns", [.strings([]), .strings([unit])], bus)?.first?.asArray
    else { return nil }
    let file = await ask("GetUnitFileState", [.string(unit)], bus)?.first?.asString
    // Each entry has the unit's name, description, load state, active state, and more. A unit that is not
    // loaded has no entry.
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
