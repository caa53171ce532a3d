import DBus
import Synchronization

/// The latest status. It answers property reads and wakes the sender of change signals.
final class ExportedStatus: Sendable {
  private struct State {
    var status = GatewayStatus()
    /// Wakes the sender of the current connection.
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

  /// Ends the updates.
  ///
  /// - Returns: Whether a sender is active and still signals the last status.
  func finish() -> Bool {
    state.withLock { state in
      state.isFinished = true
      state.ticker?.finish()
      return state.ticker != nil
    }
  }

  /// Called when the sender has stopped.
  func isShownNoMore() {
    state.withLock { state in
      state.ticker = nil
      state.isWatched = false
    }
  }

  /// Whether a client watches measurements.
  var isWatched: Bool {
    get { state.withLock(\.isWatched) }
    set { state.withLock { $0.isWatched = newValue } }
  }

  /// Returns a stream that emits immediately and after updates. Several updates may be combined into one
  /// element. The previous stream, if any, emits nothing more, but ends only when its task is canceled.
  func changes() -> AsyncStream<Void> {
    let (ticks, ticker) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    ticker.yield()
    state.withLock { state in
      if state.isFinished { ticker.finish() }
      state.ticker = ticker
    }
    return ticks
  }

  // MARK: - D-Bus objects

  /// Returns the gateway's object.
  func gateway(_ methods: [ExportedMethod] = []) -> ExportedObject {
    let properties = GatewayStatus.properties.map { property in
      property.exported { [self] in property.value(current) }
    }
    return ExportedObject(
      interfaces: [
        ExportedInterface(name: GatewayBusNames.gatewayInterface, methods: methods, properties: properties)
      ], isObjectManager: true)
  }

  /// Returns a monitor's object. Its `Age` grows constantly, so its changes are not signaled.
  ///
  /// - Parameter now: Returns the current time in microseconds since 1970.
  func monitor(_ address: String, now: @escaping @Sendable () -> UInt64) -> ExportedObject {
    var properties = MonitorStatus.properties.map { property in
      property.exported { [self] in monitor(address).flatMap { property.value($0) } }
    }
    properties.append(
      ExportedProperty("Age", "d", emitsChanges: false) { [self] in
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
    ExportedProperty(name, signature, emitsChanges: emission == .always, value)
  }
}

extension ExportedProperty {
  /// - Parameter value: Returns the value; `nil` if unknown.
  fileprivate init(
    _ name: String, _ signature: Signature, emitsChanges: Bool,
    _ value: @escaping @Sendable () -> DBusValue?
  ) {
    self.init(name: name, signature: signature) { () throws(BusError) in
      guard let value = value() else {
        throw BusError(.unknownProperty, "the value of \(name) is not known yet")
      }
      return value
    }
    self.emitsChanges = emitsChanges
  }
}
