import Dispatch
import Foundation

/// Where all that concerns one connection is done in turn, so that no thread of Swift's waits for a server.
// @unchecked: the state is touched on the queue alone.
final class ConnectionQueue<State>: @unchecked Sendable {
  private let queue = DispatchQueue(label: "org.hrgate.postgresql")
  private var state: State

  init(_ state: sending State) {
    self.state = state
  }

  /// Does it after what it was given before. Cancelling the task cancels what `body` waits for.
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
