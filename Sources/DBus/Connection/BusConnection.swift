internal import CDBus
internal import Glibc
internal import Synchronization

/// A private connection to a message bus.
///
/// The actor runs on the thread of its event loop, which also polls the socket. Releasing the last reference
/// does not end an open connection: it ends with `close()` or when the bus closes it.
public actor BusConnection {
  nonisolated let loop: EventLoop
  private let name = Mutex("")

  /// `nil` before the connection is open and after it has ended.
  private var bus: RawConnection?
  private var watch: LoopThread.ID?
  var pending = PendingCalls()
  var subscriptions = Subscriptions()
  var objects = ExportedObjects()
  var handlers: [UInt64: Task<Void, Never>] = [:]
  private var lastTicket: UInt64 = 0
  /// The number of messages received so far.
  private(set) var received: UInt64 = 0
  /// The number of times the socket was ready so far. It does not change while the connection is idle.
  private(set) var wakeUps: UInt64 = 0
  private var wasLost = false
  private var ending: BusError?
  private var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]

  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.unownedExecutor }

  private init(_ loop: EventLoop) { self.loop = loop }

  /// Connects to a bus and gets a unique name from it.
  ///
  /// - Throws: `BusError` with libdbus's error name if there is no bus at the address (`.noServer`,
  ///   `.fileNotFound`, `.badAddress`); `.authenticationFailed` if the bus rejects this user; `.timedOut`;
  ///   `.cancelled`.
  public static func open(
    _ address: BusAddress, on loop: EventLoop = EventLoop()
  ) async throws(BusError) -> BusConnection {
    try await open(address, on: loop, timeout: .seconds(25))
  }

  static func open(
    _ address: BusAddress, on loop: EventLoop, timeout: Duration
  ) async throws(BusError) -> BusConnection {
    let connection = BusConnection(loop)
    await connection.start(try await RawConnection.open(address.text(), timeout: timeout))
    return connection
  }

  /// The name that the bus assigned, for example `:1.42`. It remains set after the connection has ended.
  public nonisolated var uniqueName: String { name.withLock { $0 } }

  /// The reason why the connection has ended; `nil` while it is open.
  public var closingError: BusError? { ending }

  /// The reason why the bus ended the connection; `nil` while it is open, and if ``close()`` ended it.
  public var lossOfBus: BusError? { wasLost ? ending : nil }

  /// Ends the connection: writes queued messages, fails pending calls with `.disconnected`, finishes streams,
  /// cancels handlers and closes the socket. Can be called more than once.
  public func close() async {
    end(BusError(.disconnected, "closed"), flushing: .seconds(1))
    await waitUntilClosed()
  }

  /// Returns when the connection has ended and its socket is closed, or when the task is canceled.
  public func waitUntilClosed() async {
    let ticket = nextTicket()
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if ending != nil || Task.isCancelled { continuation.resume() } else { waiters[ticket] = continuation }
      }
    } onCancel: {
      loop.thread.perform { self.assumeIsolated { $0.waiters.removeValue(forKey: ticket)?.resume() } }
    }
  }

  /// Sends a message without waiting. Messages are sent in the order of the calls. While the bus does not
  /// read, messages are queued without limit.
  ///
  /// - Returns: The serial number of the message.
  /// - Throws: `BusError` with `.disconnected` after the end, `.noMemory`.
  func send(_ message: OutgoingMessage) throws(BusError) -> UInt32 {
    let serial = try openConnection().send(message)
    updateWatch()
    return serial
  }

  /// - Throws: `BusError` with `.disconnected` after the end of the connection.
  @discardableResult
  func openConnection() throws(BusError) -> RawConnection {
    guard let bus else { throw ending ?? BusError(.disconnected, "closed") }
    return bus
  }

  func nextTicket() -> UInt64 {
    lastTicket += 1
    return lastTicket
  }

  private func start(_ bus: RawConnection) {
    name.withLock { $0 = bus.uniqueName }
    self.bus = bus
    watch = loop.thread.watch(bus.descriptor, Int16(POLLIN)) { [self] in
      assumeIsolated { $0.socketIsReady() }
    }
    // The bus may have sent messages together with its reply to Hello.
    receiveMessages()
  }

  private func end(_ error: BusError, flushing limit: Duration) {
    guard ending == nil else { return }
    ending = error
    if let watch { loop.thread.removeWatch(watch) }
    watch = nil
    bus?.close(flushing: limit)
    bus = nil
    for complete in pending.removeAll() { complete(.failure(error)) }
    subscriptions.finishAll()
    for handler in handlers.values { handler.cancel() }
    handlers.removeAll()
    objects = ExportedObjects()
    for waiter in waiters.values { waiter.resume() }
    waiters.removeAll()
  }

  // MARK: - The socket

  private func socketIsReady() {
    wakeUps += 1
    bus?.transfer()
    receiveMessages()
  }

  /// Handles all messages that libdbus has read.
  private func receiveMessages() {
    let time = BootClock.nanoseconds()
    // Handling a message may close the connection.
    while let message = bus?.nextMessage() {
      received += 1
      receive(message, Arrival(order: received, boottimeNanoseconds: time))
    }
    guard let bus else { return }
    if bus.isConnected { return updateWatch() }
    wasLost = true
    end(BusError(.disconnected, "the bus closed the connection"), flushing: .zero)
  }

  private func updateWatch() {
    guard let bus, let watch else { return }
    if bus.isConnected {
      return loop.thread.setEvents(watch, Int16(bus.hasOutput ? POLLIN | POLLOUT : POLLIN))
    }
    // A failed write has ended the connection. Its descriptor is closed and may be reused, so stop polling
    // it.
    loop.thread.removeWatch(watch)
    self.watch = nil
    loop.thread.perform { self.assumeIsolated { $0.receiveMessages() } }
  }

  private func receive(_ message: IncomingMessage, _ arrival: Arrival) {
    var arrival = arrival
    let isReply = message.kind == DBUS_MESSAGE_TYPE_METHOD_RETURN || message.kind == DBUS_MESSAGE_TYPE_ERROR
    arrival.senderPosition = subscriptions.owners.senderPosition(
      serial: message.serial, from: message.sender,
      // Any reply except one to a ping may mean that the sender's state has changed.
      isResponse: isReply && !pending.endPing(serial: message.replySerial))
    switch message.kind {
    case DBUS_MESSAGE_TYPE_METHOD_CALL: answer(message, arrival)
    case DBUS_MESSAGE_TYPE_SIGNAL:
      // libdbus creates this signal when the connection ends. `receiveMessages` handles the end.
      if message.interface != DBUS_INTERFACE_LOCAL { deliver(message, arrival) }
    // Other types of messages belong to later versions of the protocol, so ignore them.
    default: if isReply { complete(message, arrival) }
    }
  }

  /// Delivers a signal to the matching subscriptions. A signal that cannot be decoded is counted as lost.
  private func deliver(_ message: IncomingMessage, _ arrival: Arrival) {
    subscriptions.followOwners(message)
    lazy var signal = try? message.converted(interface: message.interface, arrival)
    for buffer in subscriptions.buffers(matching: message) where !buffer.handle(message, arrival) {
      if let signal { buffer.offer(signal) } else { buffer.lose() }
    }
  }
}

/// Well-known bus names, such as `org.hrgate`.
extension BusConnection {
  /// Requests a well-known name. If the name is taken, throws immediately instead of waiting for it.
  ///
  /// - Throws: `BusError` with `.alreadyTaken` if another connection owns the name; the bus's own errors,
  ///   such as `.accessDenied` if its policy forbids the name.
  public func requestName(_ name: String) async throws(BusError) {
    let reply = try await call(
      .bus("RequestName", [.string(name), .uint32(UInt32(DBUS_NAME_FLAG_DO_NOT_QUEUE))]))
    let owned = [DBUS_REQUEST_NAME_REPLY_PRIMARY_OWNER, DBUS_REQUEST_NAME_REPLY_ALREADY_OWNER].map(Int.init)
    guard let result = reply.body.first?.asInteger, owned.contains(result) else {
      throw BusError(.alreadyTaken, "another program owns the bus name \(name)")
    }
  }

  /// Releases a name. Does nothing if this connection does not own it.
  public func releaseName(_ name: String) async throws(BusError) {
    try await call(.bus("ReleaseName", [.string(name)]))
  }

  /// Returns the unique name of the owner of `name`; `nil` if it has no owner.
  public func nameOwner(_ name: String) async throws(BusError) -> String? {
    do throws(BusError) {
      return try await call(.bus("GetNameOwner", [.string(name)])).body.first?.asString
    } catch {
      guard error.name == .nameHasNoOwner else { throw error }
      return nil
    }
  }
}
