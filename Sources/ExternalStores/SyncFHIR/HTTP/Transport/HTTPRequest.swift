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

/// An HTTP response with those header fields that the client uses.
struct HTTPResponse: Sendable {
  var status: Int
  var location: String?
  var retryAfter: String?
  /// The Date header field: the time on the server's clock.
  var date: String?
  var body: Data
}

/// A request whose caller waits for the response. The connection's thread completes it exactly once.
final class Exchange: Sendable {
  typealias Waiter = CheckedContinuation<HTTPResponse, any Error>

  /// A flag with which the caller cancels the request.
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
