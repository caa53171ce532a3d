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
    status.take(values, GatewayStatus.properties)
    for interfaces in objects.values {
      if let monitor = MonitorStatus(interfaces: interfaces) { status.insert(monitor) }
    }
    return status
  }

  /// How it stands, now and after each change and measurement, until it goes or the task is cancelled. It is
  /// asked once: each change says itself what is new.
  ///
  /// - Throws: as ``status()``.
  public func follow(_ body: (GatewayStatus) async throws -> Void) async throws {
    let changes = try await connection.signals(matching: [
      MatchRule(sender: name), .ownerChanges(of: name),
    ])
    try await watch()
    var status = try await status()
    try await body(status)
    for await event in changes {
      if case .signal(let signal) = event, signal.member != "NameOwnerChanged" {
        guard status.apply(signal) else { continue }
      } else {
        // Another gateway has the name, or none; or a change is missing.
        guard let whole = try await watchedStatus() else { return }
        status = whole
      }
      try await body(status)
    }
  }

  /// Asks to be told of each measurement. An earlier gateway has no such method, and tells everybody.
  private func watch() async throws(BusError) {
    do throws(BusError) {
      try await connection.call(
        MethodCall(
          destination: name, path: GatewayBusNames.root, interface: GatewayBusNames.gatewayInterface,
          member: GatewayBusNames.watch))
    } catch  where error.name == .unknownMethod {}
  }

  /// How the gateway stands that is there now, which tells of each measurement from before that on.
  /// - Returns: `nil` where none is there, or none any more.
  private func watchedStatus() async throws(BusError) -> GatewayStatus? {
    do {
      try await watch()
      return try await status()
    } catch {
      guard error.name == .serviceUnknown || error.name == .nameHasNoOwner else { throw error }
      return nil
    }
  }
}

extension GatewayReader {
  /// Whether a gateway has the name now.
  ///
  /// - Throws: `BusError`.
  public func isThere() async throws(BusError) -> Bool { try await connection.nameOwner(name) != nil }
}
