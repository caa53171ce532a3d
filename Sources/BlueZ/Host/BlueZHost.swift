public import Bluetooth
public import DBus

/// bluetoothd with one powered adapter, for procedures with a beginning and an end: scanning, pairing,
/// forgetting.
public struct BlueZHost: Sendable {
  let session: BlueZSession
  let mirror: Mirror
  /// The adapter that is used.
  let adapterPath: ObjectPath
  /// Its address.
  public let adapter: BluetoothAddress

  /// Opens the bus, chooses an adapter, and runs `body`.
  ///
  /// - Parameter adapter: Only this one; `nil` for the first that is powered.
  /// - Throws: ``BlueZUnavailable`` where something is missing, also when it goes meanwhile; and what `body`
  ///   throws.
  public static func with<Value: Sendable>(
    bus: BusAddress = .system, adapter: BluetoothAddress? = nil,
    _ body: @Sendable (BlueZHost) async throws -> Value
  ) async throws -> Value {
    try await with(bus: bus, adapter: adapter, patience: BlueZSession.patience, body)
  }

  /// - Parameter patience: How long bluetoothd may take to tell its objects.
  static func with<Value: Sendable>(
    bus: BusAddress, adapter: BluetoothAddress? = nil, patience: Duration,
    _ body: @Sendable (BlueZHost) async throws -> Value
  ) async throws -> Value {
    let connection: BusConnection
    do throws(BusError) {
      connection = try await BusConnection.open(bus)
    } catch {
      throw BlueZUnavailable(opening: error)
    }
    do {
      let value = try await converse(
        in: BlueZSession(connection: connection, patience: patience), adapter, body)
      await connection.close()
      return value
    } catch {
      await connection.close()
      throw error
    }
  }

  private static func converse<Value: Sendable>(
    in session: BlueZSession, _ wanted: BluetoothAddress?,
    _ body: @Sendable (BlueZHost) async throws -> Value
  ) async throws -> Value {
    let mirror = Mirror()
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        do {
          try await session.listen { event, _ in await mirror.apply(event) }
        } catch let error as BusError where ![.disconnected, .cancelled].contains(error.name) {
          await mirror.refuse(BlueZUnavailable(error))
        }
        // An end of our own is no loss of the bus.
        if !Task.isCancelled { await mirror.noteDisconnection() }
      }
      defer { group.cancelAll() }
      let adapter = try await choose(wanted, mirror, session.patience)
      return try await body(
        BlueZHost(session: session, mirror: mirror, adapterPath: adapter.path, adapter: adapter.address))
    }
  }

  /// How long a daemon that has just been started may take to find its adapters, and they to come up.
  private static let settling = Duration.seconds(2)

  private static func choose(
    _ wanted: BluetoothAddress?, _ mirror: Mirror, _ patience: Duration
  ) async throws -> Adapter1 {
    // What is not told yet is not absent. The refusal of a call that was not answered comes first, where one
    // was made.
    let isInformed = try await mirror.wait(upTo: patience + settling) { _ in true }
    guard isInformed == true else { throw BlueZUnavailable.notAnswering }
    let adapter = try await mirror.wait(upTo: settling) { tree in
      tree.adapters.first { $0.isPowered && $0.isMeant(by: wanted) }
    }
    if let adapter { return adapter }
    let adapters = await mirror.tree.adapters
    if adapters.isEmpty { throw BlueZUnavailable.adapterAbsent }
    let allowed = adapters.filter { $0.isMeant(by: wanted) }
    guard let first = allowed.first else {
      throw wanted.map(BlueZUnavailable.adapterUnknown) ?? BlueZUnavailable.adapterAbsent
    }
    throw first.isBlocked ? BlueZUnavailable.adapterBlocked : BlueZUnavailable.adapterOff
  }

  /// - Throws: ``BlueZError``, ``NotifyAcquiredError``, `CancellationError`.
  @discardableResult
  func perform(_ call: BlueZCall) async throws -> [UInt8]? {
    try await check(call)
    switch await session.perform(call) {
    case .done: return nil
    case .value(let bytes): return bytes
    case .failed(let error):
      // What a cancelled call says is nothing of bluetoothd's.
      try Task.checkCancellation()
      throw error
    }
  }

  /// - Throws: ``NotifyAcquiredError`` if the call must not be sent.
  func check(_ call: BlueZCall) async throws(NotifyAcquiredError) {
    let tree = await mirror.tree
    guard let path = tree.acquisition(affectedBy: call),
      let device = tree.devices.first(where: { path.hasPrefix($0.path) })
    else { return }
    throw NotifyAcquiredError(monitor: device.address)
  }

  /// Ends a subscription, also in a cancelled task, unless its notifications are acquired.
  func unsubscribe(from characteristic: ObjectPath) async {
    let call = BlueZCall.stopNotify(characteristic: characteristic)
    guard await mirror.tree.acquisition(affectedBy: call) == nil else { return }
    await session.release(call)
  }
}
