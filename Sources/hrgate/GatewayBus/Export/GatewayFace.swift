public import DBus

/// A gateway's face on a bus: an object for it, and one for each monitor, with their properties.
public struct GatewayFace: Sendable {
  /// A gateway that ended a moment ago may still have the name.
  private static let pause = Duration.seconds(2)

  private let bus: BusAddress
  private let name: String
  private let patience: Duration
  private let now: @Sendable () -> UInt64
  private let board = ExportedStatus()

  /// Whether somebody wants to be told of each measurement.
  public var isWatched: Bool { board.isWatched }

  /// - Parameters:
  ///   - name: The name that it has on the bus.
  ///   - patience: How long a bus that has refused is left alone: a policy may come, and limits pass.
  ///   - now: Microseconds since 1970, by which the age of a value is told.
  public init(
    on bus: BusAddress, as name: String, patience: Duration = .seconds(30),
    now: @escaping @Sendable () -> UInt64
  ) {
    self.bus = bus
    self.name = name
    self.patience = patience
    self.now = now
  }

  /// Shows each status until there are no more, or the task is cancelled. A bus that is away is waited for,
  /// and so is a name that another has, or that the bus does not give it; then the newest status is shown.
  /// Where the last status comes while it is shown nowhere, that is the end.
  ///
  /// - Throws: `BusError` with `.badAddress`, which no waiting mends; `CancellationError`.
  public func show(_ updates: AsyncStream<GatewayStatus>) async throws {
    try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask {
        for await status in updates { board.show(status) }
        return board.finish()
      }
      group.addTask {
        try await showOnBus()
        return false
      }
      defer { group.cancelAll() }
      // What came last is told first, if the bus is there.
      while let isStillShown = try await group.next(), isStillShown {}
    }
  }

  private func showOnBus() async throws {
    while true {
      do throws(any Error) {
        return try await withBusConnection(to: bus) { connection in
          try await takeName(on: connection)
          try await show(on: connection)
        }
      } catch let error as BusError where error.name != .badAddress {
        try await Task.sleep(for: patience)
      }
    }
  }

  /// Nobody hears of anything without the name: it is what the bus' policy goes by.
  private func takeName(on connection: BusConnection) async throws {
    while true {
      do throws(BusError) {
        return try await connection.requestName(name)
      } catch  where error.name == .alreadyTaken {
        try await Task.sleep(for: Self.pause)
      }
    }
  }

  /// Shows on one connection until it is lost, or nothing more comes.
  private func show(on connection: BusConnection) async throws {
    let watchers = Watchers { [board] in board.isWatched = $0 }
    try await connection.export(board.gateway([watchers.method(on: connection)]), at: GatewayBusNames.root)
    let changes = board.changes()
    defer { board.isShownNoMore() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await watchers.follow() }
      group.addTask {
        // Nothing may come for hours; a connection that is lost is made anew all the same.
        await connection.waitUntilClosed()
        if !Task.isCancelled { throw BusError(.disconnected, "the bus closed the connection") }
      }
      group.addTask {
        var shown = GatewayStatus()
        for await _ in changes { shown = try await tell(board.current, after: shown, on: connection) }
      }
      defer { group.cancelAll() }
      // Either the connection is lost, which throws, or nothing more comes.
      try await group.next()
    }
  }

  /// Tells what has changed.
  /// - Returns: What is shown now.
  private func tell(
    _ status: GatewayStatus, after shown: GatewayStatus, on connection: BusConnection
  ) async throws -> GatewayStatus {
    let before = Dictionary(shown.monitors.map { ($0.address, $0) }, uniquingKeysWith: { $1 })
    let there = Set(status.monitors.map(\.address))
    for address in before.keys where !there.contains(address) {
      if let path = GatewayBusNames.path(ofMonitor: address) { await connection.unexport(path) }
    }
    for monitor in status.monitors where before[monitor.address] != monitor {
      if let earlier = before[monitor.address] {
        // Most of what comes, and then nothing is to be told.
        guard isWatched || !monitor.hasMeasuredOnly(since: earlier) else { continue }
        try await connection.tellChange(
          of: properties(MonitorStatus.self), at: GatewayBusNames.path(ofMonitor: monitor.address),
          GatewayBusNames.monitorInterface, earlier, monitor)
      } else if let path = GatewayBusNames.path(ofMonitor: monitor.address) {
        try await connection.export(board.monitor(monitor.address, now: now), at: path)
        try await connection.announce(path)
      }
    }
    try await connection.tellChange(
      of: properties(GatewayStatus.self), at: GatewayBusNames.root, GatewayBusNames.gatewayInterface, shown,
      status)
    return status
  }

  /// Those of which changes are told now.
  private func properties<Status: BusStatus>(_: Status.Type) -> [StatusProperty<Status>] {
    isWatched ? Status.properties : Status.lastingProperties
  }
}

extension BusConnection {
  /// - Parameter path: Looked for where something is to be told.
  fileprivate func tellChange<Status: Sendable>(
    of properties: [StatusProperty<Status>], at path: @autoclosure () -> ObjectPath?, _ interface: String,
    _ before: Status, _ now: Status
  ) throws(BusError) {
    var changed: [String: DBusValue] = [:]
    var gone: [String] = []
    for property in properties {
      let value = property.value(now)
      guard value != property.value(before) else { continue }
      if let value { changed[property.name] = value } else { gone.append(property.name) }
    }
    guard !changed.isEmpty || !gone.isEmpty, let path = path() else { return }
    try emitPropertiesChanged(path: path, interface: interface, changed: changed, invalidated: gone)
  }
}
