import CPostgreSQL
import Dispatch
import Foundation
import Glibc
import Synchronization

/// A serial queue for all work on a connection, so that a slow server does not block Swift's concurrency
/// pool.
// @unchecked: the state is used only on the queue.
final class ConnectionQueue<State>: @unchecked Sendable {
  private let queue = DispatchQueue(label: "org.hrgate.postgresql")
  private var state: State

  init(_ state: sending State) {
    self.state = state
  }

  /// Runs `body` after all earlier calls. If the task is canceled, the connection's calls in `body` end
  /// early.
  func perform<Result: Sendable>(
    _ body: @escaping @Sendable (inout State, Cancellation) throws -> Result
  ) async throws -> Result {
    let cancellation = Cancellation()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        queue.async {
          continuation.resume(with: Swift.Result { try body(&self.state, cancellation) })
        }
      }
    } onCancel: {
      cancellation.cancel()
    }
  }
}

/// A flag that cancels a call on the connection's queue and wakes it from waiting.
final class Cancellation: Sendable {
  private let state = Atomic(false)
  /// An eventfd that becomes readable on cancellation. If it could not be created (-1), a wait notices the
  /// cancellation only at its next event or timeout.
  let wakeUp = cpostgresql_eventfd()

  deinit { if wakeUp >= 0 { close(wakeUp) } }

  var isCancelled: Bool { state.load(ordering: .acquiring) }

  func cancel() {
    state.store(true, ordering: .releasing)
    var one: UInt64 = 1
    _ = write(wakeUp, &one, 8)
  }
}
