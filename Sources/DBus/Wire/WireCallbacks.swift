internal import CDBus

/// What libdbus calls. It calls only from inside of calls to it, and those are made on the loop's thread:
/// each function is therefore inside of the actor, which `assumeIsolated` verifies.
enum WireCallbacks {
  // @unchecked: never leaves the thread. The pointer is used before the callback returns, and what runs in
  // between runs there.
  private struct Lent: @unchecked Sendable {
    let raw: OpaquePointer
  }

  private static func onWire<Result: Sendable>(
    _ data: UnsafeMutableRawPointer?, _ raw: OpaquePointer?, otherwise: Result,
    _ body: @Sendable (isolated BusConnection, OpaquePointer) -> Result
  ) -> Result {
    guard let data, let raw else { return otherwise }
    let lent = Lent(raw: raw)
    let connection = Unmanaged<BusConnection>.fromOpaque(data).takeUnretainedValue()
    return connection.assumeIsolated { body($0, lent.raw) }
  }

  static let addWatch: DBusAddWatchFunction = { watch, data in
    onWire(data, watch, otherwise: 0) { connection, watch in
      guard let wire = connection.wire else { return 0 }
      wire.add(watch)
      return 1
    }
  }

  static let removeWatch: DBusRemoveWatchFunction = { watch, data in
    onWire(data, watch, otherwise: ()) { $0.wire?.remove($1) }
  }

  static let toggleWatch: DBusWatchToggledFunction = { watch, data in
    onWire(data, watch, otherwise: ()) { $0.wire?.toggle($1) }
  }

  static let dispatchStatus: DBusDispatchStatusFunction = { connection, status, data in
    let remains = status == DBUS_DISPATCH_DATA_REMAINS
    onWire(data, connection, otherwise: ()) { connection, _ in
      connection.wire?.dispatchStatusChanged(remains)
    }
  }

  static let filter: DBusHandleMessageFunction = { _, message, data in
    onWire(data, message, otherwise: DBUS_HANDLER_RESULT_NOT_YET_HANDLED) {
      $0.receive($1)
      return DBUS_HANDLER_RESULT_HANDLED
    }
  }
}
