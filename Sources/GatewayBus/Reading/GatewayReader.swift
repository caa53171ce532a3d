public import DBus

/// Reads a gateway's face on a bus.
public struct GatewayReader: Sendable {
  fileprivate let connection: BusConnection
  fileprivate let name: String

  /// - Throws: what opening the connection throws.
  public init(on bus: BusAddress, of name: String) async throws(BusError) {
    connection = try await BusConnection.open(bus)
    self.name = name
  }

  public func close() async { await connection.close() }

  /// How the gateway stands now.
  ///
  /// - Throws: `BusError`: `.serviceUnknown`, `.nameHasNoOwner` where no gateway is there, `.accessDenied`.
  public func status() async throws(BusError) -> GatewayStatus {
    var call = MethodCall(
      destination: name, path: GatewayBusNames.root, interface: "org.freedesktop.DBus.ObjectManager",
      member: "GetManagedObjects")
    let objects = try await connection.call(call).body.first?.asDictionary ?? [:]
    call = MethodCall(
      destination: name, path: GatewayBusNames.root, interface: "org.freedesktop.DBus.Properties",
      member: "GetAll", body: [.string(GatewayBusNames.gatewayInterface)])
    var status = GatewayStatus()
    let values = try await connection.call(call).body.first?.asProperties ?? [:]
    Self.take(values, GatewayStatus.properties, into: &status)
    status.monitors = objects.values.compactMap(Self.monitor).sorted { $0.address < $1.address }
    return status
  }

  /// How it stands, now and after each change, until it goes or the task is cancelled.
  ///
  /// - Throws: as ``status()``.
  public func follow(_ body: (GatewayStatus) async throws -> Void) async throws {
    // Each change is a reason to ask again: what is shown is always whole.
    let changes = try await connection.signals(matching: [
      MatchRule(sender: name),
      MatchRule(
        sender: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
        member: "NameOwnerChanged", argument0: name),
    ])
    try await body(try await status())
    for await _ in changes {
      do {
        try await body(try await status())
      } catch let error as BusError where error.name == .serviceUnknown || error.name == .nameHasNoOwner {
        return
      }
    }
  }

  private static func monitor(_ interfaces: DBusValue) -> MonitorStatus? {
    let name = DBusValue.string(GatewayBusNames.monitorInterface)
    guard let values = interfaces.asDictionary?[name]?.asProperties, values["Address"] != nil else {
      return nil
    }
    var monitor = MonitorStatus(address: "")
    take(values, MonitorStatus.properties, into: &monitor)
    return monitor
  }

  private static func take<Status>(
    _ values: [String: DBusValue], _ properties: [StatusProperty<Status>], into status: inout Status
  ) {
    for property in properties {
      if let value = values[property.name] { property.take(value, &status) }
    }
  }
}

extension GatewayReader {
  /// Whether a gateway has the name now.
  ///
  /// - Throws: `BusError`.
  public func isThere() async throws(BusError) -> Bool { try await connection.nameOwner(name) != nil }
}
