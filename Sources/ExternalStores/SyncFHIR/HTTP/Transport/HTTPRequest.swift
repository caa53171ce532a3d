internal import Foundation
internal import Synchronization

/// An HTTP request.
struct HTTPRequest: Sendable {
  var url: String
  /// Header lines of the form `Name: value`.
  var fields: [String]
  /// The body of a POST request, or `nil` for a GET request.
  var body: Data?
}

/// An HTTP response with the header fields that are used.
struct HTTPResponse: Sendable {
  var status: Int
  var location: String?
  var retryAfter: String?
  /// The time on the server's clock. Retry-After may refer to it.
  var date: String?
  var body: Data
}

/// A pending request and its caller. The connection's thread completes it exactly once.
final class Exchange: Sendable {
  typealias Waiter = CheckedContinuation<HTTPResponse, any Error>

  /// A flag that cancels the request.
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

  func end(_ result: Result<HTTPResponse, TransferError>) {
    waiter.resume(with: result.mapError { $0 as any Error })
  }
}
