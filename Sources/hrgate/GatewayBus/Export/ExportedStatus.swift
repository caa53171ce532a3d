import DBus
import Synchronization

/// The newest status, from which properties are answered and changes are told.
final class ExportedStatus: Sendable {
  private struct State {
    var status = GatewayStatus()
    /// Whoever waits for changes; each connection has its own.
    var ticker: AsyncStream<Void>.Continuation?
    var isWatched = false
    var isFinished = false
  }

  private let state = Mutex(State())

  var current: GatewayStatus { state.withLock(\.status) }

  func show(_ status: GatewayStatus) {
    state.withLock { state in
      state.status = status
      state.ticker?.yield()
    }
  }

  /// Nothing more is shown.
  /// - Returns: whether somebody waits for changes, and tells the last one yet.
  func finish() -> Bool {
    state.withLock { state in
      state.isFinished = true
      state.ticker?.finish()
      return state.ticker != nil
    }
  }

  /// Whoever waited for changes waits no more.
  func isShownNoMore() {
    state.withLock { state in
      state.ticker = nil
      state.isWatched = false
    }
  }

  /// Whether somebody wants to be told of each measurement.
  var isWatched: Bool {
    get { state.withLock(\.isWatched) }
    set { state.withLock { $0.isWatched = newValue } }
  }

  /// Ticks at once, and when something new is shown; several changes may be one tick. It takes the place of
  /// the one before, whose iteration ends with the task that it was in.
  func changes() -> AsyncStream<Void> {
    let (ticks, ticker) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    ticker.yield()
    state.withLock { state in
      if state.isFinished { ticker.finish() }
      state.ticker = ticker
    }
    return ticks
  }

  // MARK: - As objects

  /// The gateway's object.
  func gateway(_ methods: [ExportedMethod] = []) -> ExportedObject {
    let properties = GatewayStatus.properties.map { property in
      property.exported { [self] in property.value(current) }
    }
    return ExportedObject(
      interfaces: [
        ExportedInterface(name: GatewayBusNames.gatewayInterface, methods: methods, properties: properties)
      ], isObjectManager: true)
  }

  /// A monitor's object. Its `Age` grows by itself, so no change of it is told.
  ///
  /// - Parameter now: Microseconds since 1970.
  func monitor(_ address: String, now: @escaping @Sendable () -> UInt64) -> ExportedObject {
    var properties = MonitorStatus.properties.map { property in
      property.exported { [self] in monitor(address).flatMap { property.value($0) } }
    }
    properties.append(
      ExportedProperty("Age", "d", tellsChanges: false) { [self] in
        monitor(address)?.age(at: now()).map { .double($0) }
      })
    return ExportedObject(
      interfaces: [ExportedInterface(name: GatewayBusNames.monitorInterface, properties: properties)])
  }

  private func monitor(_ address: String) -> MonitorStatus? {
    current.monitors.first { $0.address == address }
  }
}

extension StatusProperty {
  fileprivate func exported(_ value: @escaping @Sendable () -> DBusValue?) -> ExportedProperty {
    ExportedProperty(name, signature, tellsChanges: telling == .always, value)
  }
}

extension ExportedProperty {
  /// - Parameter value: `nil` where it is not known.
  fileprivate init(
    _ name: String, _ signature: Signature, tellsChanges: Bool,
    _ value: @escaping @Sendable () -> DBusValue?
  ) {
    self.init(name: name, signature: signature) { () throws(BusError) in
      guard let value = value() else { throw BusError(.unknownProperty, "\(name) is not known") }
      return value
    }
    self.tellsChanges = tellsChanges
  }
}
