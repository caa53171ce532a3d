internal import Synchronization

/// A connection of our own to a message bus.
///
/// Everything that concerns the connection happens on its loop's thread, which is the actor's isolation. An
/// open connection keeps itself alive: it ends with `close()` or with the bus, not with the last reference.
public actor BusConnection {
  nonisolated let loop: EventLoop
  private let name = Mutex("")

  /// Nil before the socket is open and after the end.
  private(set) var wire: Wire?
  var pending = PendingCalls()
  var subscriptions = Subscriptions()
  var objects = ExportedObjects()
  var handlers: [UInt64: Task<Void, Never>] = [:]
  private var lastTicket: UInt64 = 0
  /// How many messages came.
  private(set) var received: UInt64 = 0
  private var wasLost = false
  private var ending: BusError?
  private var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]

  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.unownedExecutor }

  private init(_ loop: EventLoop) { self.loop = loop }

  /// Connects and says Hello.
  ///
  /// - Throws: `BusError` with libdbus' names where there is no bus (`.noServer`, `.fileNotFound`), or its
  ///   socket is not for this user (`.accessDenied`); `.badAddress`; `.authenticationFailed` where the bus
  ///   does not take this user; `.disconnected` where who answers is no bus; `.timedOut` where it is silent;
  ///   `.cancelled`.
  public static func open(
    _ address: BusAddress, on loop: EventLoop = EventLoop()
  ) async throws(BusError) -> BusConnection {
    try await open(address, on: loop, patience: .seconds(5))
  }

  /// - Parameter patience: how long a bus may leave a connection waiting before it takes it up.
  static func open(
    _ address: BusAddress, on loop: EventLoop, patience: Duration
  ) async throws(BusError) -> BusConnection {
    let connection = BusConnection(loop)
    try await connection.start(ServerAddress.list(address.text()), patience)
    return connection
  }

  /// What the bus calls us, `:1.42`. Kept after the end.
  public nonisolated var uniqueName: String { name.withLock { $0 } }

  /// Why the connection has ended; nil as long as it is open.
  public var closingError: BusError? { ending }

  /// Why the bus ended the connection; nil as long as it is open, and when we ended it.
  public var lossOfBus: BusError? { wasLost ? ending : nil }

  /// Ends the connection: what is queued is written, outstanding calls fail with `.disconnected`, streams
  /// finish, handlers are cancelled, descriptors are closed. To be called more than once does no harm.
  public func close() async {
    end(BusError(.disconnected, "closed"), flushing: .seconds(1))
    await waitUntilClosed()
  }

  /// Returns when the connection is gone and its descriptors are closed, whoever ended it, or when the task
  /// is cancelled.
  public func waitUntilClosed() async {
    let ticket = nextTicket()
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if isGone || Task.isCancelled { continuation.resume() } else { waiters[ticket] = continuation }
      }
    } onCancel: {
      loop.thread.perform { self.assumeIsolated { $0.waiters.removeValue(forKey: ticket)?.resume() } }
    }
  }

  /// - Throws: `BusError` with `.disconnected` when there is no connection any more.
  func openWire() throws(BusError) -> Wire {
    guard let wire else { throw ending ?? BusError(.disconnected, "closed") }
    return wire
  }

  func nextTicket() -> UInt64 {
    lastTicket += 1
    return lastTicket
  }

  private func start(_ addresses: [ServerAddress], _ patience: Duration) async throws(BusError) {
    do throws(BusError) {
      let (socket, address) = try await connect(to: addresses, patience)
      let wire = Wire(socket, guid: address.guid, on: loop.thread)
      self.wire = wire
      // Until the wire is closed, which it is before this goes.
      wire.start(
        readable: { [self] in loop.isolated(to: self) { $0.readWire() } },
        writable: { [self] in loop.isolated(to: self) { $0.wire?.flush() } })
      guard let unique = try await call(.bus("Hello")).body.first?.asString else {
        throw BusError(.invalidMessage, "the bus gave no name")
      }
      name.withLock { $0 = unique }
      _ = try openWire()
    } catch {
      end(error, flushing: .zero)
      throw error
    }
  }

  // MARK: - The end

  private var isGone: Bool { ending != nil }

  private func end(_ error: BusError, flushing limit: Duration) {
    guard ending == nil else { return }
    ending = error
    let wire = self.wire
    self.wire = nil
    wire?.close(flushing: limit)
    for complete in pending.removeAll() { complete(.failure(error)) }
    subscriptions.finishAll()
    for handler in handlers.values { handler.cancel() }
    handlers.removeAll()
    objects = ExportedObjects()
    wakeWaiters()
  }

  private func wakeWaiters() {
    for waiter in waiters.values { waiter.resume() }
    waiters.removeAll()
  }

  // MARK: - What the wire tells

  private func readWire() {
    do throws(BusError) {
      try wire?.read(wants: { wants($0, readAt: $1) }) { (frame, time) throws(BusError) in
        try receive(frame, readAt: time)
      }
    } catch {
      wasLost = true
      end(error, flushing: .zero)
    }
  }

  /// - Throws: `BusError` with `.disconnected` where the frame is no message.
  private func receive(_ frame: RawSpan, readAt time: UInt64) throws(BusError) {
    // Who got the message before may have closed.
    guard wire != nil else { return }
    received += 1
    var arrival = Arrival(order: received, boottimeNanoseconds: time)
    if let (known, octets, place) = subscriptions.find(frame) {
      arrival.place = place
      for buffer in known.takers { buffer.offer(known.change, frame.extracting(octets), arrival) }
      return
    }
    try IncomingMessage.decode(frame, arrival) { if let message = $0 { receive(message, frame) } }
  }

  /// Whether anybody waits for a long message. It is passed over where nobody does: neither kept nor read.
  private func wants(_ head: RawSpan, readAt time: UInt64) -> Bool {
    // Who got the message before may have closed.
    guard wire != nil else { return false }
    // Of a kind that is passed over anyway.
    guard let header = MessageHeader(frame: head) else { return false }
    switch header.kind {
    case .reply(let serial), .failure(let serial, _): if pending.isWaiting(for: serial) { return true }
    case .signal: if subscriptions.mayWant(header) { return true }
    case .methodCall(let wantsReply): refuseLong(header, wantsReply: wantsReply)
    }
    received += 1
    _ = subscriptions.place(serial: header.serial, from: header.sender, isDealing: isDealing(header))
    return false
  }

  private func receive(_ message: IncomingMessage, _ frame: RawSpan) {
    var message = message
    message.arrival.place = subscriptions.place(
      serial: message.serial, from: message.sender, isDealing: isDealing(message.header))
    switch message.kind {
    case .reply(let serial): complete(serial, message, failure: nil)
    case .failure(let serial, let name): complete(serial, message, failure: name)
    case .signal: subscriptions.deliver(message, frame)
    case .methodCall(let wantsReply): answer(message, wantsReply: wantsReply)
    }
  }

  /// Its sender may have done what we asked of it.
  private func isDealing(_ header: MessageHeader) -> Bool {
    switch header.kind {
    case .reply(let serial), .failure(let serial, _): !pending.endPing(serial: serial)
    case .signal, .methodCall: false
    }
  }
}
