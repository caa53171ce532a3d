import CMicroHTTPD
import Foundation
import Glibc
import Synchronization

/// An HTTP/1.1 server on GNU libmicrohttpd. One thread accepts connections, lets libmicrohttpd read and
/// write, and notices clients that disconnect; tasks make the responses.
final class HTTPServer: Sendable {
  /// A listening socket and the handler of its requests.
  struct Listener: Sendable {
    let socket: ListeningSocket
    /// Whether to accept a new connection. Called before the connection counts or any byte of it is read.
    let admits: @Sendable (_ connection: Int32, _ client: SocketAddress?) -> Bool
    let handler: any HTTPHandler
  }

  /// Maximum number of connections. More wait in the kernel until others are closed.
  static let maximumConnections = 256
  /// A connection is closed after this time without a request, with an incomplete one, or if the client reads
  /// nothing of a response.
  static let timeout = Duration.seconds(60)

  private let listeners: [Listener]
  private let timeout: Duration
  private let messages: MessageQueue

  /// - Throws: ``PageServerError``.
  init(_ listeners: [Listener], timeout: Duration = HTTPServer.timeout) throws(PageServerError) {
    (self.listeners, self.timeout) = (listeners, timeout)
    messages = try MessageQueue()
  }

  /// Serves until the task is cancelled, and waits for the tasks that compute responses.
  /// - Throws: ``PageServerError``.
  func run() async throws {
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (listeners, timeout, messages) = (listeners, timeout, messages)
        let thread = Thread {
          let loop = HTTPLoop(listeners, timeout: timeout, messages)
          continuation.resume(returning: Result { try loop.run() })
        }
        thread.name = "hrgate-page"
        thread.start()
      }
    } onCancel: {
      messages.post(.stop)
    }
    try result.get()
  }
}

/// Responds to the requests of a listener.
protocol HTTPHandler: Sendable {
  /// Checks the head of a request with a body before the body is read.
  /// - Throws: ``PageError``, which becomes the response.
  func check(_ request: HTTPRequest) throws(PageError)
  /// Creates the file for the body of a checked request; `nil` if the body is kept in memory.
  /// - Throws: ``PageError``, which becomes the response.
  func upload(for request: HTTPRequest) throws(PageError) -> UploadedFile?
  /// Returns the response. The task is cancelled when the client disconnects, unless the request is a change.
  func respond(to request: HTTPRequest) async -> PageResponse
}

extension HTTPHandler {
  func upload(for request: HTTPRequest) throws(PageError) -> UploadedFile? { nil }
}

/// Messages from tasks to the server's thread. Posting one wakes the thread.
final class MessageQueue: Sendable {
  enum Message: Sendable {
    /// The response to a request is ready.
    case respond(Int, PageResponse, ResponseBody)
    /// A response body has more bytes.
    case resume(Int)
    /// The task that answers a request has ended.
    case ended(Int)
    case stop
  }

  /// An eventfd, readable while there are messages.
  let descriptor: Int32
  private let messages = Mutex<[Message]>([])

  /// - Throws: ``PageServerError``.
  init() throws(PageServerError) {
    descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard descriptor >= 0 else {
      throw PageServerError("the page's server cannot start: \(String(cString: strerror(errno)))")
    }
  }

  deinit { close(descriptor) }

  func post(_ message: Message) {
    messages.withLock { $0.append(message) }
    eventfd_write(descriptor, 1)
  }

  func takeAll() -> [Message] {
    var count: eventfd_t = 0
    eventfd_read(descriptor, &count)
    return messages.withLock { messages in
      defer { messages = [] }
      return messages
    }
  }
}
