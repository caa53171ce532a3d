import CMicroHTTPD
import Foundation
import Glibc
import Synchronization

/// An HTTP/1.1 server based on GNU libmicrohttpd. One thread accepts connections, reads, writes, and detects
/// clients that disconnect. Tasks compute the responses.
final class HTTPServer: Sendable {
  /// A listening socket and the handler for its requests.
  struct Listener: Sendable {
    let socket: ListeningSocket
    /// Returns whether to accept a new connection. Called before anything is read from the connection.
    let admits: @Sendable (_ connection: Int32, _ client: SocketAddress?) -> Bool
    let handler: any HTTPHandler
  }

  /// Maximum number of open connections. Further connections wait in the kernel.
  static let maximumConnections = 256
  /// Time after which a connection without a complete request is closed, or one whose client does not read
  /// the response.
  static let timeout = Duration.seconds(60)

  private let listeners: [Listener]
  private let timeout: Duration
  private let messages: MessageQueue

  /// Creates a server for several listening sockets.
  /// - Throws: ``PageServerError``.
  init(_ listeners: [Listener], timeout: Duration = HTTPServer.timeout) throws(PageServerError) {
    (self.listeners, self.timeout) = (listeners, timeout)
    messages = try MessageQueue()
  }

  /// Serves until the task is canceled. Then waits for the tasks that compute responses.
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

/// Handles the requests of a listening socket.
protocol HTTPHandler: Sendable {
  /// Checks the header fields of a request with a body, before the body is read.
  /// - Throws: ``PageError``, with which the server responds.
  func check(_ request: HTTPRequest) throws(PageError)
  /// Returns a file for the body of a checked request; `nil` to keep the body in memory.
  /// - Throws: ``PageError``, with which the server responds.
  func upload(for request: HTTPRequest) throws(PageError) -> UploadedFile?
  /// Returns the response. If the client disconnects, the task is canceled, unless the request may change
  /// data.
  func respond(to request: HTTPRequest) async -> PageResponse
}

extension HTTPHandler {
  func upload(for request: HTTPRequest) throws(PageError) -> UploadedFile? { nil }
}

/// Messages from tasks to the server's thread. Adding one wakes the thread.
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

  /// An eventfd that is readable while there are messages.
  let descriptor: Int32
  private let messages = Mutex<[Message]>([])

  /// Creates an empty queue.
  /// - Throws: ``PageServerError`` if no eventfd can be created.
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

  func drainAll() -> [Message] {
    var count: eventfd_t = 0
    eventfd_read(descriptor, &count)
    return messages.withLock { messages in
      defer { messages = [] }
      return messages
    }
  }
}
