public import Bluetooth
public import DBus

/// bluetoothd with one powered adapter, for finite operations: scanning, pairing, removing a monitor.
public struct BlueZHost: Sendable {
  let session: BlueZSession
  let objectCache: ObjectCache
  /// The adapter in use.
  let adapterPath: ObjectPath
  /// The address of the adapter.
  public let adapter: BluetoothAddress

  /// Opens the bus, chooses an adapter, and runs `body`.
  ///
  /// - Parameter adapter: The only adapter to use; `nil` for the first one that is powered.
  /// - Throws: ``BlueZUnavailableError`` if the bus, bluetoothd or the adapter is missing or is lost while
  ///   `body` runs; errors of `body`.
  public static func with<Value: Sendable>(
    bus: BusAddress = .system, adapter: BluetoothAddress? = nil,
    _ body: @Sendable (BlueZHost) async throws -> Value
  ) async throws -> Value {
    try await with(bus: bus, adapter: adapter, timeout: BlueZSession.timeout, body)
  }

  /// - Parameter timeout: Timeout of the call GetManagedObjects.
  static func with<Value: Sendable>(
    bus: BusAddress, adapter: BluetoothAddress? = nil, timeout: Duration,
    _ body: @Sendable (BlueZHost) async throws -> Value
  ) async throws -> Value {
    let connection: BusConnection
    do throws(BusError) {
      connection = try await BusConnection.open(bus)
    } catch {
      throw BlueZUnavailableError(opening: error)
    }
    do {
      let value = try await converse(
        in: BlueZSession(connection: connection, timeout: timeout), adapter, body)
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
    let objectCache = ObjectCache()
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        do {
          try await session.listen { event, _ in await objectCache.apply(event) }
        } catch let error as BusError where ![.disconnected, .cancelled].contains(error.name) {
          await objectCache.refuse(BlueZUnavailableError(error))
        }
        // Once `body` has ended, the session ends on purpose; the bus is not lost.
        if !Task.isCancelled { await objectCache.handleDisconnection() }
      }
      defer { group.cancelAll() }
      let adapter = try await choose(wanted, objectCache, session.timeout)
      return try await body(
        BlueZHost(
          session: session, objectCache: objectCache, adapterPath: adapter.path, adapter: adapter.address))
    }
  }

  /// How long to wait for a newly started bluetoothd to find and power its adapters.
  private static let settling = Duration.seconds(2)

  private static func choose(
    _ wanted: BluetoothAddress?, _ objectCache: ObjectCache, _ timeout: Duration
  ) async throws -> Adapter1 {
    // The adapter is reported as missing only after bluetoothd has listed its objects. If that call fails,
    // its error is thrown first.
    let isInformed = try await objectCache.wait(upTo: timeout + settling) { _ in true }
    guard isInformed == true else { throw BlueZUnavailableError.notAnswering }
    let adapter = try await objectCache.wait(upTo: settling) { tree in
      tree.adapters.first { $0.isPowered && $0.isMeant(by: wanted) }
    }
    if let adapter { return adapter }
    let adapters = await objectCache.tree.adapters
    if adapters.isEmpty { throw BlueZUnavailableError.adapterAbsent }
    let allowed = adapters.filter { $0.isMeant(by: wanted) }
    guard let first = allowed.first else {
      throw wanted.map(BlueZUnavailableError.adapterUnknown) ?? BlueZUnavailableError.adapterAbsent
    }
    throw first.isBlocked ? BlueZUnavailableError.adapterBlocked : BlueZUnavailableError.adapterOff
  }

  /// - Throws: ``BlueZError``, ``NotifyAcquiredError``, `CancellationError`.
  @discardableResult
  func perform(_ call: BlueZCall) async throws -> [UInt8]? {
    try await check(call)
    switch await session.perform(call) {
    case .done: return nil
    case .value(let bytes): return bytes
    case .failed(let error):
      // The error of a canceled call does not come from bluetoothd.
      try Task.checkCancellation()
      throw error
    }
  }

  /// - Throws: ``NotifyAcquiredError`` if the call would end or break another program's AcquireNotify
  ///   (``ObjectTree/acquisition(affectedBy:)``).
  func check(_ call: BlueZCall) async throws(NotifyAcquiredError) {
    let tree = await objectCache.tree
    guard let path = tree.acquisition(affectedBy: call),
      let device = tree.devices.first(where: { path.hasPrefix($0.path) })
    else { return }
    throw NotifyAcquiredError(monitor: device.address)
  }

  /// Ends this program's subscription, unless another program has acquired the notifications. Also works in a
  /// canceled task.
  func unsubscribe(from characteristic: ObjectPath) async {
    let call = BlueZCall.stopNotify(characteristic: characteristic)
    guard await objectCache.tree.acquisition(affectedBy: call) == nil else { return }
    await session.release(call)
  }
}
