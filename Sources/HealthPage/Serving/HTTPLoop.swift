import CMicroHTTPD
import Foundation
import Glibc

/// The event loop on an ``HTTPServer``'s thread. libmicrohttpd and its callbacks run only on that thread.
final class HTTPLoop {
  private struct Connection {
    let listener: Int
    /// The time since when the server has been waiting for a complete request; `nil` while it is handling
    /// one.
    var waitsSince: ContinuousClock.Instant? = .now
  }

  /// Maximum number of connections to accept from one listener before serving the others.
  private static let acceptedAtOnce = 64
  /// How long to wait after `accept` fails, for example because no file descriptors are left.
  private static let acceptPause = Duration.milliseconds(100)
  /// Number of bytes that libmicrohttpd may use for one connection. It must be enough for the header fields
  /// of a request and part of a response.
  private static let memory = 65_536

  private let listeners: [HTTPServer.Listener]
  private let timeout: Duration
  private let messages: MessageQueue
  private let executor = PageExecutor()

  private var daemon: OpaquePointer?
  /// The open connections by their sockets.
  private var connections: [Int32: Connection] = [:]
  /// The requests being handled, by number. libmicrohttpd stores the number as the context of the request.
  private var exchanges: [Int: HTTPExchange] = [:]
  private var exchangeCount = 0
  /// The tasks that compute responses, by the number of the request. A task may outlive the handling of its
  /// request.
  private var tasks: [Int: Task<Void, Never>] = [:]
  /// The index of the listener being served, for use in libmicrohttpd's callback.
  private var acceptingListener = 0
  private var acceptsAgain: ContinuousClock.Instant?
  private var isStopping = false

  init(_ listeners: [HTTPServer.Listener], timeout: Duration, _ messages: MessageQueue) {
    (self.listeners, self.timeout, self.messages) = (listeners, timeout, messages)
  }

  /// Serves until the server is stopped.
  /// - Throws: ``PageServerError``.
  func run() throws {
    guard let daemon = start() else {
      throw PageServerError("the page's server cannot start: \(String(cString: strerror(errno)))")
    }
    self.daemon = daemon
    defer { MHD_stop_daemon(daemon) }
    while !(isStopping && connections.isEmpty && tasks.isEmpty) {
      let ready = wait(daemon)
      for message in messages.drainAll() { receive(message) }
      if let again = acceptsAgain, again <= .now { acceptsAgain = nil }
      for index in ready { accept(index, daemon) }
      MHD_run(daemon)
      // Do this last: after the machine was suspended, requests that have arrived must be read before
      // timeouts are checked.
      closeOverdue()
    }
  }

  // MARK: - Waiting

  /// Waits for events, and marks the requests of clients that have disconnected.
  /// - Returns: The indices of the listeners with pending connections.
  private func wait(_ daemon: OpaquePointer) -> [Int] {
    var polls = [
      pollfd(fd: messages.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: CMicroHTTPD_epoll(daemon), events: Int16(POLLIN), revents: 0),
    ]
    // Watch the sockets of suspended connections too, because libmicrohttpd does not. Otherwise a client that
    // disconnects would not be noticed.
    let watched = exchanges.values.filter { $0.isSuspended && $0.endsWithClient && !$0.hasClientLeft }
    polls += watched.map { pollfd(fd: $0.socket, events: CMICROHTTPD_POLLRDHUP, revents: 0) }
    let firstListener = polls.count
    if canAccept {
      polls += listeners.map { pollfd(fd: $0.socket.descriptor, events: Int16(POLLIN), revents: 0) }
    }
    guard poll(&polls, nfds_t(polls.count), milliseconds(daemon)) > 0 else { return [] }
    for (exchange, poll) in zip(watched, polls.dropFirst(2)) where poll.revents != 0 { leave(exchange) }
    return polls.indices.dropFirst(firstListener).filter { polls[$0].revents != 0 }.map { $0 - firstListener }
  }

  private var canAccept: Bool {
    !isStopping && connections.count < HTTPServer.maximumConnections && acceptsAgain == nil
  }

  /// Returns the number of milliseconds until the next deadline; -1 without a deadline.
  private func milliseconds(_ daemon: OpaquePointer) -> Int32 {
    var own: UInt64 = 0
    var least: Int64 = MHD_get_timeout(daemon, &own) == .YES ? Int64(clamping: own) : .max
    let deadlines = connections.values.compactMap(\.waitsSince).map { $0 + timeout }
    let now = ContinuousClock.now
    for deadline in deadlines + [acceptsAgain].compactMap(\.self) {
      let (seconds, attoseconds) = max(.zero, deadline - now).components
      // Round up, so that `poll` does not return just before the deadline.
      least = min(least, seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
    }
    return least == .max ? -1 : Int32(clamping: least)
  }

  // MARK: - Connections

  private func accept(_ index: Int, _ daemon: OpaquePointer) {
    let listener = listeners[index]
    for _ in 0..<Self.acceptedAtOnce where canAccept {
      var storage = sockaddr_storage()
      var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
      let flags = Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
      let socket = withUnsafeMutablePointer(to: &storage) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          accept4(listener.socket.descriptor, $0, &size, flags)
        }
      }
      guard socket >= 0 else {
        acceptFailed(errno)
        return
      }
      guard listener.admits(socket, SocketAddress(storage)) else {
        close(socket)
        continue
      }
      acceptingListener = index
      // If this fails, libmicrohttpd closes the socket.
      _ = withUnsafePointer(to: &storage) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { MHD_add_connection(daemon, socket, $0, size) }
      }
    }
  }

  private func acceptFailed(_ error: Int32) {
    switch error {
    // No connection is pending, or the client closed it before `accept`.
    case EAGAIN, EINTR, ECONNABORTED: break
    default: acceptsAgain = .now + Self.acceptPause
    }
  }

  /// Closes connections on which no complete request arrived in time.
  private func closeOverdue() {
    let latest = ContinuousClock.now - timeout
    for (socket, connection) in connections {
      guard let since = connection.waitsSince, since <= latest else { continue }
      connections[socket]?.waitsSince = nil
      // After `shutdown`, libmicrohttpd reads the end of the stream and then closes the connection.
      shutdown(socket, Int32(SHUT_RDWR))
    }
  }

  // MARK: - Messages from tasks

  private func receive(_ message: MessageQueue.Message) {
    switch message {
    case .respond(let number, let response, let body):
      guard let exchange = exchanges[number] else { return body.close() }
      exchange.phase = .answered(response, body)
      resume(exchange)
    case .resume(let number):
      if let exchange = exchanges[number] { resume(exchange) }
    case .ended(let number): tasks[number] = nil
    case .stop:
      isStopping = true
      for task in tasks.values { task.cancel() }
      for socket in connections.keys { shutdown(socket, Int32(SHUT_RDWR)) }
      for exchange in exchanges.values { leave(exchange) }
    }
  }

  /// Marks a request whose client has disconnected. Its handling ends when libmicrohttpd calls `end`.
  private func leave(_ exchange: HTTPExchange) {
    exchange.hasClientLeft = true
    if case .sent(let body) = exchange.phase { body?.close() }
    resume(exchange)
  }

  private func resume(_ exchange: HTTPExchange) {
    guard exchange.isSuspended else { return }
    exchange.isSuspended = false
    MHD_resume_connection(exchange.connection)
  }

  private func suspend(_ exchange: HTTPExchange) {
    exchange.isSuspended = true
    MHD_suspend_connection(exchange.connection)
  }

  // MARK: - Callbacks of libmicrohttpd

  private func start() -> OpaquePointer? {
    // libmicrohttpd's own timeout, in whole seconds. It applies to clients that do not read the response.
    // `closeOverdue` handles incomplete requests.
    let seconds = max(1, UInt32(clamping: timeout.components.seconds))
    return CMicroHTTPD_start(
      Unmanaged.passUnretained(self).toOpaque(),
      { context, target, connection in
        guard let target else { return nil }
        let text = String(cString: target)
        // Cut off the query parameters here; `text` still has them. libmicrohttpd 0.9.75 always parses them,
        // and does not respond if that takes more memory than the connection has.
        strchr(target, Int32(UInt8(ascii: "?")))?[1] = 0
        return HTTPLoop.of(context)?.begin(text, connection)
      },
      { context, connection, _, method, _, bytes, count, number in
        guard let loop = HTTPLoop.of(context), let count,
          let exchange = loop.exchange(number?.pointee)
        else { return .NO }
        let upload = UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count.pointee)
        count.pointee = 0
        return loop.handle(exchange, method.map { String(cString: $0) } ?? "", upload) ? .YES : .NO
      },
      { context, _, number, _ in HTTPLoop.of(context)?.end(number?.pointee) },
      { context, connection, _, event in
        HTTPLoop.of(context)?.connectionChanged(connection, hasBegun: event == .CONNECTION_NOTIFY_STARTED)
      },
      UInt32(HTTPServer.maximumConnections), Self.memory, seconds)
  }

  private static func of(_ context: UnsafeMutableRawPointer?) -> HTTPLoop? {
    context.map { Unmanaged<HTTPLoop>.fromOpaque($0).takeUnretainedValue() }
  }

  private func exchange(_ number: UnsafeMutableRawPointer?) -> HTTPExchange? {
    number.flatMap { exchanges[Int(bitPattern: $0)] }
  }

  private func connectionChanged(_ connection: OpaquePointer?, hasBegun: Bool) {
    guard let connection else { return }
    let socket = CMicroHTTPD_socket(connection)
    connections[socket] = hasBegun ? Connection(listener: acceptingListener) : nil
  }

  /// Called by libmicrohttpd when it has read a request line.
  private func begin(_ target: String, _ connection: OpaquePointer?) -> UnsafeMutableRawPointer? {
    guard let connection else { return nil }
    let socket = CMicroHTTPD_socket(connection)
    guard let listener = connections[socket]?.listener else { return nil }
    exchangeCount += 1
    exchanges[exchangeCount] = HTTPExchange(
      exchangeCount, connection, socket, target, listeners[listener].handler)
    return UnsafeMutableRawPointer(bitPattern: exchangeCount)
  }

  /// Called by libmicrohttpd for a request: after its header fields, after each part of its body, at its end,
  /// and when the response is ready.
  /// - Returns: Whether the connection stays open.
  private func handle(_ exchange: HTTPExchange, _ method: String, _ upload: UnsafeRawBufferPointer) -> Bool {
    guard !exchange.hasClientLeft else { return false }
    switch exchange.phase {
    case .begun:
      return exchange.receiveHead(method)
    case .receiving where !upload.isEmpty:
      // An upload may take any amount of time, as long as bytes keep arriving.
      if exchange.upload != nil { connections[exchange.socket]?.waitsSince = .now }
      return exchange.receive(upload)
    case .receiving(let request):
      connections[exchange.socket]?.waitsSince = nil
      if let requestError = exchange.requestError {
        return exchange.send(.requestError(requestError, of: request), nil)
      }
      suspend(exchange)
      exchange.phase = .answering(isChange: request.isChange)
      tasks[exchange.number] = task(exchange.number, exchange.whole(request), exchange.handler)
      return true
    case .answering, .sent:
      return false
    case .answered(let response, let body):
      return exchange.send(
        response, BodyReader(body) { [unowned self, unowned exchange] in suspend(exchange) })
    }
  }

  private func task(
    _ number: Int, _ request: HTTPRequest, _ handler: any HTTPHandler
  ) -> Task<Void, Never> {
    Task(executorPreference: executor) { [messages] in
      let response = await handler.respond(to: request)
      let body = ResponseBody { messages.post(.resume(number)) }
      messages.post(.respond(number, response, body))
      if case .stream(let write) = response.body, request.method != "HEAD" {
        do {
          try await write(body)
          body.finish()
        } catch {
          body.fail()
        }
      }
      messages.post(.ended(number))
    }
  }

  /// Called by libmicrohttpd when a response has been sent or a connection has ended.
  private func end(_ number: UnsafeMutableRawPointer?) {
    guard let exchange = exchange(number) else { return }
    exchanges[exchange.number] = nil
    connections[exchange.socket]?.waitsSince = .now
    if case .sent(let body) = exchange.phase { body?.close() }
    if case .answered(_, let body) = exchange.phase { body.close() }
    if exchange.endsWithClient { tasks[exchange.number]?.cancel() }
  }
}
