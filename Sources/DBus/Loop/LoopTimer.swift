internal import Synchronization

/// One point of time at which something is done on a loop's thread, and which may be moved.
public final class LoopTimer: Sendable {
  private let loop: EventLoop
  private let fire: @Sendable () -> Void
  private let scheduled = Mutex<LoopThread.ID?>(nil)

  /// - Parameter fire: Called on the loop's thread. Nothing is called any more when the timer is gone.
  public init(on loop: EventLoop, fire: @escaping @Sendable () -> Void) {
    self.loop = loop
    self.fire = fire
  }

  /// Fires once after this time, and not at the time set before; never where it is `nil`. To be called on the
  /// loop's thread.
  public func set(after delay: Duration?) {
    let next = delay.map { delay in
      loop.thread.schedule(after: delay) { [weak self] in self?.ring() }
    }
    let before = scheduled.withLock { scheduled in
      defer { scheduled = next }
      return scheduled
    }
    if let before { loop.thread.cancelTimer(before) }
  }

  private func ring() {
    scheduled.withLock { $0 = nil }
    fire()
  }
}
