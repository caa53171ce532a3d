import Dispatch
import Glibc
import Synchronization

/// A signal handler that does nothing. Child processes would inherit SIG_IGN, but not a handler.
func ignoreSignal(_ number: Int32) {}

/// Handles SIGINT and SIGTERM. The first signal lets the command finish and commit its current work. The
/// second one ends the process with the signal's default action.
final class Interruption: Sendable {
  private let state = Mutex((hasHappened: false, action: nil as (@Sendable () -> Void)?))
  private let queue = DispatchQueue(label: "org.hrgate.interruption")

  init() {
    for number in [SIGINT, SIGTERM] { listen(for: number) }
  }

  var hasHappened: Bool { state.withLock { $0.hasHappened } }

  /// Sets the action that ends the current work. It runs immediately if the signal was already received.
  func onHappening(_ action: @escaping @Sendable () -> Void) {
    let runNow = state.withLock { state in
      state.action = action
      return state.hasHappened
    }
    if runNow { action() }
  }

  /// Listens for a signal. The dispatch source's own handler retains it until the signal arrives or the
  /// process ends.
  private func listen(for number: Int32) {
    signal(number, ignoreSignal)
    let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
    source.setEventHandler { [self] in
      signal(number, SIG_DFL)
      happen()
      source.cancel()
    }
    source.resume()
  }

  private func happen() {
    let action = state.withLock { state in
      state.hasHappened = true
      return state.action
    }
    action?()
  }
}

/// Runs `body` until it returns or the user interrupts it. An interruption cancels its task and waits for it.
///
/// - Returns: The result of `body`.
/// - Throws: The error of `body`; `CancellationError` if it has no result after an interruption.
func untilInterrupted<Value: Sendable>(
  _ interruption: Interruption, _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  let (wishes, wish) = AsyncStream.makeStream(of: Void.self)
  interruption.onHappening { wish.finish() }
  return try await withThrowingTaskGroup(of: Value?.self) { group in
    group.addTask { try await body() }
    group.addTask {
      for await _ in wishes {}
      return nil
    }
    while let outcome = try await group.next() {
      group.cancelAll()
      if let outcome { return outcome }
    }
    throw CancellationError()
  }
}
