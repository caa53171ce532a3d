internal import CDBus
internal import Glibc

/// One direction of libdbus' socket, watched by the loop.
final class SocketWatch {
  let raw: OpaquePointer
  private let thread: LoopThread
  private let id: LoopThread.ID

  /// - Parameter ready: called on the loop's thread while the direction is ready, or broken, and the watch is
  ///   on.
  init(_ raw: OpaquePointer, on thread: LoopThread, ready: @escaping (_ flags: UInt32) -> Void) {
    self.raw = raw
    self.thread = thread
    let wanted = dbus_watch_get_flags(raw)
    var events: Int16 = 0
    if wanted & DBUS_WATCH_READABLE.rawValue != 0 { events |= Int16(POLLIN) }
    if wanted & DBUS_WATCH_WRITABLE.rawValue != 0 { events |= Int16(POLLOUT) }
    id = thread.watch(dbus_watch_get_unix_fd(raw), events, isOn: dbus_watch_get_enabled(raw) != 0) {
      ready(Self.flags($0))
    }
  }

  /// Switches on or off as libdbus wants it.
  func update() { thread.setWatch(id, isOn: dbus_watch_get_enabled(raw) != 0) }

  /// Never again ready.
  func cancel() { thread.removeWatch(id) }

  private static func flags(_ events: Int16) -> UInt32 {
    var flags: UInt32 = 0
    if events & Int16(POLLIN) != 0 { flags |= DBUS_WATCH_READABLE.rawValue }
    if events & Int16(POLLOUT) != 0 { flags |= DBUS_WATCH_WRITABLE.rawValue }
    if events & Int16(POLLERR | POLLNVAL) != 0 { flags |= DBUS_WATCH_ERROR.rawValue }
    if events & Int16(POLLHUP) != 0 { flags |= DBUS_WATCH_HANGUP.rawValue }
    return flags
  }
}
