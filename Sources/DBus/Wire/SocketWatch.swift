internal import CDBus
internal import Dispatch
internal import Glibc

/// One direction of libdbus' socket, watched by libdispatch.
///
/// The source watches a duplicate of the descriptor: libdbus closes its own when it likes, and a source must not outlive
/// what it watches. The duplicate is closed when libdispatch has let go of it.
final class SocketWatch {
  let raw: OpaquePointer
  private let source: any DispatchSourceProtocol
  private var isOn = false

  /// - Parameters:
  ///   - ready: called on the queue while the direction is ready and the watch is on.
  ///   - released: called on the queue once, after the duplicate has been closed.
  /// - Returns: nil when the process has no descriptor left.
  init?(
    _ raw: OpaquePointer, queue: DispatchQueue, ready: @escaping @Sendable (_ flags: UInt32) -> Void,
    released: @escaping @Sendable () -> Void
  ) {
    let descriptor = fcntl(dbus_watch_get_unix_fd(raw), F_DUPFD_CLOEXEC, 0)
    guard descriptor >= 0 else { return nil }
    self.raw = raw
    let isReader = dbus_watch_get_flags(raw) & DBUS_WATCH_READABLE.rawValue != 0
    let flags = isReader ? DBUS_WATCH_READABLE.rawValue : DBUS_WATCH_WRITABLE.rawValue
    source =
      isReader
      ? DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
      : DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
    source.setEventHandler { ready(flags) }
    source.setCancelHandler {
      close(descriptor)
      released()
    }
    follow()
  }

  /// Switches on or off as libdbus wants it. libdispatch counts suspensions, so each change is made once.
  func follow() {
    let isWanted = dbus_watch_get_enabled(raw) != 0
    guard isWanted != isOn else { return }
    isOn = isWanted
    if isWanted { source.resume() } else { source.suspend() }
  }

  /// Never again ready. A suspended source must run once more to be released.
  func cancel() {
    source.cancel()
    if !isOn { source.resume() }
    isOn = true
  }
}
