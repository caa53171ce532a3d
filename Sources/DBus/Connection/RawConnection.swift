internal import CDBus
internal import Dispatch
internal import Glibc
internal import Synchronization

/// A private libdbus connection that has a unique name on a bus.
// @unchecked: libdbus locks the connection in each call. Also, only one thread uses it at a time: first the
// one that opens it, then the event loop's.
final class RawConnection: @unchecked Sendable {
  /// Maximum size of a message, in bytes. A larger one ends the connection. The system bus has the same
  /// limit.
  private static let longestMessage = 32 << 20
  /// Maximum size of unprocessed messages, in bytes. Above it, libdbus stops reading.
  private static let mostReceived = 64 << 20

  private let raw: OpaquePointer
  /// The socket. Use it only for poll(2).
  let descriptor: Int32
  /// The name that the bus assigned, for example `:1.42`.
  let uniqueName: String

  /// Connects, authenticates and calls Hello. Blocks until the bus has replied, or for 25 seconds.
  ///
  /// - Throws: `BusError` with libdbus's error name if there is no bus at the address;
  ///   `.authenticationFailed` if the bus closed the connection without a reply; `.timedOut`; otherwise the
  ///   error that the bus returned for Hello.
  private init(_ address: String) throws(BusError) {
    dbus_threads_init_default()
    // By default, libdbus ignores SIGPIPE in the whole process. Sockets do not need that.
    dbus_connection_set_change_sigpipe(0)
    var error = DBusError()
    dbus_error_init(&error)
    defer { dbus_error_free(&error) }
    guard let raw = dbus_connection_open_private(address, &error) else { throw BusError(error) }
    dbus_connection_set_exit_on_disconnect(raw, 0)
    dbus_connection_set_max_message_size(raw, Self.longestMessage)
    dbus_connection_set_max_received_size(raw, Self.mostReceived)
    var descriptor: Int32 = -1
    guard let name = Self.hello(raw, &error), dbus_connection_get_unix_fd(raw, &descriptor) != 0 else {
      let failure = Self.failure(opening: raw, address, error)
      Self.close(raw)
      throw failure
    }
    self.raw = raw
    self.descriptor = descriptor
    uniqueName = name
  }

  deinit { Self.close(raw) }

  /// Calls Hello, which makes the bus assign a unique name. `dbus_bus_register` does the same, but holds a
  /// lock on all libdbus connections until the bus replies.
  ///
  /// - Returns: The name that the bus assigned.
  private static func hello(_ raw: OpaquePointer, _ error: inout DBusError) -> String? {
    guard let call = try? OutgoingMessage(.bus("Hello")),
      let reply = dbus_connection_send_with_reply_and_block(raw, call.raw, 25_000, &error)
    else { return nil }
    return (try? IncomingMessage(owned: reply).body())?.first?.asString
  }

  private static func failure(opening raw: OpaquePointer, _ address: String, _ error: DBusError) -> BusError {
    let failure = BusError(error)
    if dbus_connection_get_is_connected(raw) == 0 {
      let reason =
        dbus_connection_get_is_authenticated(raw) == 0
        ? "does not accept this user" : "closed the connection: its policy may reject this user"
      return BusError(.authenticationFailed, "the bus at \(address) \(reason) (user ID \(geteuid()))")
    }
    guard failure.name == .noReply else { return failure }
    return BusError(.timedOut, "the bus at \(address) does not answer")
  }

  private static func close(_ raw: OpaquePointer) {
    dbus_connection_close(raw)
    dbus_connection_unref(raw)
  }

  /// The ID of this machine (machine-id(5)).
  static func machineID() throws(BusError) -> String {
    var error = DBusError()
    dbus_error_init(&error)
    defer { dbus_error_free(&error) }
    guard let id = dbus_try_get_local_machine_id(&error) else { throw BusError(error) }
    defer { dbus_free(id) }
    return String(cString: id)
  }

  // MARK: - Opening without blocking the caller

  /// The dispatch queues that open connections, one per address. A bus that does not accept connections
  /// blocks only the thread of its queue.
  private static let queues = Mutex<[String: DispatchQueue]>([:])

  /// Opens a connection without blocking the caller, on the queue of the address.
  ///
  /// - Throws: `BusError` as `init`, `.timedOut` after `timeout`, `.cancelled`. An attempt that timed out or
  ///   was canceled closes its connection as soon as libdbus returns.
  static func open(_ address: String, timeout: Duration) async throws(BusError) -> RawConnection {
    let (results, outcome) = AsyncStream<Result<RawConnection, BusError>>.makeStream()
    let isOver = Flag()
    outcome.onTermination = { _ in isOver.set() }
    let queue = queues.withLock { queues in
      let queue = queues[address] ?? DispatchQueue(label: "org.hrgate.dbus.open")
      queues[address] = queue
      return queue
    }
    queue.async {
      if isOver.isSet { return }
      outcome.yield(Result { () throws(BusError) in try RawConnection(address) })
    }
    let milliseconds = Int(clamping: Int64((timeout / .milliseconds(1)).rounded(.up)))
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) {
      outcome.yield(
        .failure(BusError(.timedOut, "the bus at \(address) did not accept the connection in time")))
    }
    for await result in results { return try result.get() }
    throw BusError(.cancelled, "canceled")
  }

  private final class Flag: Sendable {
    private let state = Mutex(false)

    var isSet: Bool { state.withLock { $0 } }

    func set() { state.withLock { $0 = true } }
  }

  // MARK: - On the event loop's thread

  /// Whether the connection is open. After its end, libdbus has closed the descriptor, but received messages
  /// can still be popped.
  var isConnected: Bool { dbus_connection_get_is_connected(raw) != 0 }

  /// Whether messages are queued because the socket did not accept them.
  var hasOutput: Bool { dbus_connection_has_messages_to_send(raw) != 0 }

  /// Queues a message, and writes as much as the socket accepts.
  ///
  /// - Returns: The serial number of the message.
  func send(_ message: OutgoingMessage) throws(BusError) -> UInt32 {
    var serial: dbus_uint32_t = 0
    guard dbus_connection_send(raw, message.raw, &serial) != 0 else { throw OutgoingMessage.noMemory }
    return serial
  }

  /// Reads and writes as much as the socket allows, waiting for up to `timeout` milliseconds.
  func transfer(timeout: Int32 = 0) { dbus_connection_read_write(raw, timeout) }

  /// Pops the next received message. After the connection has ended, the last message is a signal that
  /// libdbus creates.
  ///
  /// - Returns: `nil` if no message is left.
  func nextMessage() -> IncomingMessage? {
    dbus_connection_pop_message(raw).map { IncomingMessage(owned: $0) }
  }

  /// Writes queued messages for up to `limit`, and closes the socket.
  func close(flushing limit: Duration) {
    let deadline = ContinuousClock.now + limit
    while hasOutput, isConnected, ContinuousClock.now < deadline { transfer(timeout: 20) }
    dbus_connection_close(raw)
  }
}

extension BusError {
  fileprivate init(_ error: DBusError) {
    self.init(
      error.name.map { Name(rawValue: String(cString: $0)) } ?? .failed,
      error.message.map { String(cString: $0) } ?? "")
  }
}
