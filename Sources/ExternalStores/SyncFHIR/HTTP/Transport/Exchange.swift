internal import Synchronization

/// A request that somebody waits for. It is answered once, by the thread of the connection.
final class Exchange: Sendable {
  typealias Waiter = CheckedContinuation<HTTPAnswer, any Error>

  /// Tells a request that nobody waits for its answer any more.
  final class Cancellation: Sendable {
    private let state = Atomic(false)

    var isCancelled: Bool { state.load(ordering: .acquiring) }
    func cancel() { state.store(true, ordering: .releasing) }
  }

  let request: HTTPRequest
  let cancellation: Cancellation
  private let waiter: Waiter

  init(_ request: HTTPRequest, _ cancellation: Cancellation, _ waiter: Waiter) {
    self.request = request
    self.cancellation = cancellation
    self.waiter = waiter
  }

  func end(_ result: Result<HTTPAnswer, TransferFailure>) {
    waiter.resume(with: result.mapError { $0 as any Error })
  }
}
