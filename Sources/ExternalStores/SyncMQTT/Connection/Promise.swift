internal import Synchronization

/// A value that one task awaits and another thread provides.
final class Promise<Value: Sendable>: Sendable {
  private enum State {
    case open
    case awaited(CheckedContinuation<Value, any Error>)
    case kept(Result<Value, any Error>)
  }

  private let state = Mutex(State.open)

  /// Provides the result. Later results are ignored.
  func resolve(_ result: Result<Value, any Error>) {
    let waiter: CheckedContinuation<Value, any Error>? = state.withLock { state in
      switch state {
      case .kept: return nil
      case .open:
        state = .kept(result)
        return nil
      case .awaited(let waiter):
        state = .kept(result)
        return waiter
      }
    }
    waiter?.resume(with: result)
  }

  /// Returns the value. It must be called only once.
  ///
  /// - Throws: `CancellationError` if the task is canceled first.
  func value() async throws -> Value {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { waiter in
        let known: Result<Value, any Error>? = state.withLock { state in
          if case .kept(let result) = state { return result }
          state = .awaited(waiter)
          return nil
        }
        if let known { waiter.resume(with: known) }
      }
    } onCancel: {
      resolve(.failure(CancellationError()))
    }
  }
}
