internal import CDBus

/// libdbus' connection and its socket, used on the loop's thread alone. Exists as long as the connection is
/// open; after `close()` nobody has it any more, so nobody can call libdbus with what is freed.
final class Wire {
  private let raw: OpaquePointer
  private let owner: BusConnection
  private var watches: [UInt64: SocketWatch] = [:]
  private var lastWatch: UInt64 = 0
  private var isReading = false
  private var isDispatching = false
  /// How often the socket was ready. On an idle connection this stands still.
  private(set) var wakeUps: UInt64 = 0
  /// When the bytes came that are being dispatched.
  private(set) var readAt: UInt64 = BootClock.nanoseconds()

  /// Opens the socket. Nothing has been read or written yet.
  ///
  /// - Throws: `BusError` with libdbus' name, for example `.noServer` or `.fileNotFound`.
  init(address: String, owner: BusConnection) throws(BusError) {
    dbus_threads_init_default()
    self.owner = owner
    var error = DBusError()
    dbus_error_init(&error)
    defer { dbus_error_free(&error) }
    guard let raw = dbus_connection_open_private(address, &error) else {
      throw BusError(
        .init(rawValue: error.name.map { String(cString: $0) } ?? BusError.Name.failed.rawValue),
        error.message.map { String(cString: $0) } ?? "")
    }
    self.raw = raw
    // Or libdbus ends the process when the bus goes.
    dbus_connection_set_exit_on_disconnect(raw, 0)
  }

  /// Begins to watch the socket.
  ///
  /// - Throws: `BusError` with `.limitsExceeded` when the process has no descriptor or memory left for it.
  func start() throws(BusError) {
    // The owner is alive as long as this is, and this until close().
    let data = Unmanaged.passUnretained(owner).toOpaque()
    let isStarted =
      dbus_connection_set_watch_functions(
        raw, WireCallbacks.addWatch, WireCallbacks.removeWatch, WireCallbacks.toggleWatch, data, nil) != 0
      && dbus_connection_add_filter(raw, WireCallbacks.filter, data, nil) != 0
    dbus_connection_set_dispatch_status_function(raw, WireCallbacks.dispatchStatus, data, nil)
    guard isStarted else { throw BusError(.limitsExceeded, "no descriptor or memory left for the socket") }
  }

  /// - Returns: the serial of the message.
  /// - Throws: `BusError` with `.notSupported` for a descriptor on a connection that carries none, with
  ///   `.noMemory`.
  func send(_ message: OutgoingMessage) throws(BusError) -> UInt32 {
    var serial: dbus_uint32_t = 0
    guard dbus_connection_send(raw, message.raw, &serial) != 0 else {
      throw dbus_message_contains_unix_fds(message.raw) != 0
        && dbus_connection_can_send_type(raw, CDBUS_TYPE_UNIX_FD) == 0
        ? BusError(.notSupported, "the bus carries no file descriptors")
        : BusError(.noMemory, "no memory for a message")
    }
    return serial
  }

  func setUniqueName(_ name: String) {
    dbus_bus_set_unique_name(raw, name)
  }

  /// Lets libdbus read or write, then hands on what came.
  func handle(_ watch: UInt64, _ flags: UInt32) {
    guard let watch = watches[watch] else { return }
    wakeUps += 1
    readAt = BootClock.nanoseconds()
    // What it says of the messages that it reads need not be dispatched later: it is, right after.
    isReading = true
    dbus_watch_handle(watch.raw, flags)
    isReading = false
    dispatch()
  }

  /// Hands on what has come and was not handed on yet. Not to be called in a callback of libdbus.
  func dispatch() {
    guard !isDispatching else { return }
    isDispatching = true
    defer { isDispatching = false }
    while true {
      switch dbus_connection_dispatch(raw) {
      case DBUS_DISPATCH_DATA_REMAINS: continue
      case DBUS_DISPATCH_NEED_MEMORY: return dispatchLater(.milliseconds(50))
      default: return
      }
    }
  }

  /// What comes outside of `handle`, the notice of a lost connection while sending for one, is dispatched
  /// soon.
  func dispatchStatusChanged(_ dataRemains: Bool) {
    guard dataRemains, !isReading, !isDispatching else { return }
    dispatchLater(.zero)
  }

  private func dispatchLater(_ delay: Duration) {
    _ = owner.loop.thread.schedule(after: delay) { [owner] in
      owner.assumeIsolated { $0.dispatchPending() }
    }
  }

  /// Writes out what is queued, for as long as a peer that does not read may hold us up, then closes and
  /// frees.
  func close(flushing limit: Duration) {
    let deadline = ContinuousClock.now + limit
    while dbus_connection_has_messages_to_send(raw) != 0, dbus_connection_get_is_connected(raw) != 0,
      ContinuousClock.now < deadline
    {
      dbus_connection_read_write(raw, 20)
    }
    dbus_connection_remove_filter(raw, WireCallbacks.filter, Unmanaged.passUnretained(owner).toOpaque())
    dbus_connection_set_dispatch_status_function(raw, nil, nil, nil)
    dbus_connection_close(raw)
    while dbus_connection_dispatch(raw) == DBUS_DISPATCH_DATA_REMAINS {}
    // Takes the watches away, if closing has not.
    _ = dbus_connection_set_watch_functions(raw, nil, nil, nil, nil, nil)
    for watch in watches.values { watch.cancel() }
    watches.removeAll()
    dbus_connection_unref(raw)
  }

  // MARK: - What libdbus asks for

  func add(_ watch: OpaquePointer) {
    lastWatch += 1
    let id = lastWatch
    watches[id] = SocketWatch(watch, on: owner.loop.thread) { [owner] flags in
      owner.assumeIsolated { $0.socketIsReady(id, flags) }
    }
  }

  func remove(_ watch: OpaquePointer) {
    for (id, known) in watches where known.raw == watch {
      known.cancel()
      watches[id] = nil
    }
  }

  func toggle(_ watch: OpaquePointer) {
    for known in watches.values where known.raw == watch { known.update() }
  }
}
