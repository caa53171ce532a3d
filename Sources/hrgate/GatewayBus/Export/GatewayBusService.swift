public import DBus

/// The D-Bus service of a gateway: one object for the gateway and one for each monitor.
public struct GatewayBusService: Sendable {
  /// Retry interval for the bus name, because a gateway that just ended may still own it.
  private static let pause = Duration.seconds(2)

  private let bus: BusAddress
  private let name: String
  private let timeout: Duration
  private let now: @Sendable () -> UInt64
  private let statusStore = ExportedStatus()

  /// Whether a client watches measurements.
  public var isWatched: Bool { statusStore.isWatched }

  /// Creates a service.
  ///
  /// - Parameters:
  ///   - name: The bus name to own.
  ///   - timeout: Retry interval after the bus rejected the connection or the name. A policy may be
  ///     installed later, and resource limits may be temporary.
  ///   - now: Returns the current time in microseconds since 1970, used for the age of a value.
  public init(
    on bus: BusAddress, as name: String, timeout: Duration = .seconds(30),
    now: @escaping @Sendable () -> UInt64
  ) {
    self.bus = bus
    self.name = name
    self.timeout = timeout
    self.now = now
  }

  /// Publishes each status until the stream ends or the task is canceled.
  ///
  /// If the bus is unavailable, or the name is taken or denied, it retries and then publishes the latest
  /// status. If the stream ends while nothing is published, it returns immediately.
  ///
  /// - Throws: `BusError` with code `.badAddress`, which a retry cannot fix, or `CancellationError`.
  public func show(_ updates: AsyncStream<GatewayStatus>) async throws {
    try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask {
        for await status in updates { statusStore.show(status) }
        return statusStore.finish()
      }
      group.addTask {
        try await showOnBus()
        return false
      }
      defer { group.cancelAll() }
      // If connected, signal the last status before returning.
      while let isStillShown = try await group.next(), isStillShown {}
    }
  }

  private func showOnBus() async throws {
    while true {
      do throws(any Error) {
        return try await withBusConnection(to: bus) { connection in
          try await requestName(on: connection)
          try await show(on: connection)
        }
      } catch let error as BusError where error.name != .badAddress {
        try await Task.sleep(for: timeout)
      }
    }
  }

  /// Requests the bus name, and retries while another gateway owns it.
  private func requestName(on connection: BusConnection) async throws {
    while true {
      do throws(BusError) {
        return try await connection.requestName(name)
      } catch  where error.name == .alreadyTaken {
        try await Task.sleep(for: Self.pause)
      }
    }
  }

  /// Publishes on one connection until it is lost or the updates end.
  private func show(on connection: BusConnection) async throws {
    let watchers = Watchers { [statusStore] in statusStore.isWatched = $0 }
    try await connection.export(
      statusStore.gateway([watchers.method(on: connection)]), at: GatewayBusNames.root)
    let changes = statusStore.changes()
    defer { statusStore.isShownNoMore() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await watchers.follow() }
      group.addTask {
        // Detect a lost connection even if there are no updates for hours.
        await connection.waitUntilClosed()
        if !Task.isCancelled { throw BusError(.disconnected, "the bus closed the connection") }
      }
      group.addTask {
        var shown = GatewayStatus()
        for await _ in changes {
          shown = try await emitChanges(statusStore.current, after: shown, on: connection)
        }
      }
      defer { group.cancelAll() }
      // The first task ends with an error if the connection is lost, or returns if the updates have ended.
      try await group.next()
    }
  }

  /// Emits D-Bus signals for the differences between two statuses.
  ///
  /// - Returns: The published status.
  private func emitChanges(
    _ status: GatewayStatus, after shown: GatewayStatus, on connection: BusConnection
  ) async throws -> GatewayStatus {
    let before = Dictionary(shown.monitors.map { ($0.address, $0) }, uniquingKeysWith: { $1 })
    let there = Set(status.monitors.map(\.address))
    for address in before.keys where !there.contains(address) {
      if let path = GatewayBusNames.path(ofMonitor: address) { await connection.unexport(path) }
    }
    for monitor in status.monitors where before[monitor.address] != monitor {
      if let earlier = before[monitor.address] {
        // Most updates only contain a measurement, which is not signaled without a watcher.
        guard isWatched || !monitor.hasMeasuredOnly(since: earlier) else { continue }
        try await connection.emitChange(
          of: properties(MonitorStatus.self), at: GatewayBusNames.path(ofMonitor: monitor.address),
          GatewayBusNames.monitorInterface, earlier, monitor)
      } else if let path = GatewayBusNames.path(ofMonitor: monitor.address) {
        try await connection.export(statusStore.monitor(monitor.address, now: now), at: path)
        try await connection.announce(path)
      }
    }
    try await connection.emitChange(
      of: properties(GatewayStatus.self), at: GatewayBusNames.root, GatewayBusNames.gatewayInterface, shown,
      status)
    return status
  }

  /// Returns the properties whose changes are signaled now.
  private func properties<Status: BusStatus>(_: Status.Type) -> [StatusProperty<Status>] {
    isWatched ? Status.properties : Status.lastingProperties
  }
}

extension BusConnection {
  /// Emits a D-Bus signal for the properties that have changed.
  /// - Parameter path: The object path, evaluated only if there is a change.
  fileprivate func emitChange<Status: Sendable>(
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
