public import DBus

/// A D-Bus client of a gateway.
public struct GatewayReader: Sendable {
  fileprivate let connection: BusConnection
  fileprivate let name: String

  /// Connects to a bus.
  ///
  /// - Throws: `BusError` if the connection fails.
  public init(on bus: BusAddress, of name: String) async throws(BusError) {
    connection = try await BusConnection.open(bus)
    self.name = name
  }

  public func close() async { await connection.close() }

  /// Returns the gateway's current status.
  ///
  /// - Throws: `BusError`: `.serviceUnknown` or `.nameHasNoOwner` if no gateway is running, `.accessDenied`.
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

  /// Calls `body` with the current status and after each change and measurement, until the gateway ends or
  /// the task is canceled.
  ///
  /// The full status is requested once; the signals contain the new values.
  ///
  /// - Throws: Same as ``status()``.
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
        // The owner of the name changed or a signal was lost: request the full status again.
        guard let whole = try await watchedStatus() else { return }
        status = whole
      }
      try await body(status)
    }
  }

  /// Calls `Watch`, so that the gateway signals measurements. Older gateways do not have this method and
  /// always signal them.
  private func watch() async throws(BusError) {
    do throws(BusError) {
      try await connection.call(
        MethodCall(
          destination: name, path: GatewayBusNames.root, interface: GatewayBusNames.gatewayInterface,
          member: GatewayBusNames.watch))
    } catch  where error.name == .unknownMethod {}
  }

  /// Returns the status of the current gateway after requesting its measurement signals.
  ///
  /// - Returns: `nil` if no gateway is running.
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
  /// Returns whether a gateway owns the name.
  ///
  /// - Throws: `BusError`.
  public func isThere() async throws(BusError) -> Bool { try await connection.nameOwner(name) != nil }
}
