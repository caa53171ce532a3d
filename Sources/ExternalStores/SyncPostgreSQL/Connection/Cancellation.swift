import CPostgreSQL
import Glibc
import Synchronization

/// Tells a wait on the queue of a connection that nobody waits for it any more.
final class Cancellation: Sendable {
  private let state = Atomic(false)
  /// Becomes readable. Without one (-1, no descriptor left) a wait sees it at the next event or at its limit.
  let bell = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))

  deinit { if bell >= 0 { close(bell) } }

  var isCancelled: Bool { state.load(ordering: .acquiring) }

  func cancel() {
    state.store(true, ordering: .releasing)
    var one: UInt64 = 1
    _ = write(bell, &one, 8)
  }
}
