import Dispatch

/// One point of time to be woken at, which may be moved.
///
/// A task that sleeps would have to be cancelled and made anew each time the point moves, which it does with each measurement.
final class Alarm: Sendable {
  /// An element each time the point is reached.
  let rings: AsyncStream<Void>
  /// Not declared Sendable, though libdispatch lets a source be scheduled and cancelled from anywhere.
  private nonisolated(unsafe) let timer: any DispatchSourceTimer
  private let continuation: AsyncStream<Void>.Continuation

  init() {
    (rings, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    let timer = DispatchSource.makeTimerSource()
    timer.setEventHandler { [continuation] in continuation.yield() }
    timer.schedule(deadline: .distantFuture)
    timer.activate()
    self.timer = timer
  }

  /// Rings after this time, and not at the time set before; never where it is `nil`.
  func set(after delay: Duration?) {
    guard let delay else { return timer.schedule(deadline: .distantFuture) }
    let (seconds, attoseconds) = delay.components
    let nanoseconds = max(0, Int(clamping: seconds * 1_000_000_000 + attoseconds / 1_000_000_000))
    // What is watched for takes seconds, so the kernel may ring a little late, together with others.
    timer.schedule(deadline: .now() + .nanoseconds(nanoseconds), leeway: .milliseconds(20))
  }

  deinit {
    timer.cancel()
    continuation.finish()
  }
}
