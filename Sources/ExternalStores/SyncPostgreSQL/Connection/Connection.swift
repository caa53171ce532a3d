import CPostgreSQL
import Glibc

/// A connection to a PostgreSQL server. All calls must come from one queue.
///
/// Each call blocks until the server responds, a timeout expires, or the cancellation flag is set. libpq is
/// used in nonblocking mode and this class does the waiting, because libpq has no timeout for a server that
/// hangs.
///
/// After the errors `.silent`, `.lost` and `.cancelled`, the connection cannot be used any more.
final class Connection {
  private let raw: OpaquePointer
  private let limits: Limits
  /// The flag with which the current caller can cancel a call.
  var cancellation: Cancellation

  /// Connects to a server.
  ///
  /// - Parameter parameters: The connection parameters by libpq's keywords, including the password.
  /// - Throws: `PostgreSQLError`.
  init(_ parameters: [String: String], limits: Limits, cancellation: Cancellation) throws(PostgreSQLError) {
    let pairs = parameters.sorted { $0.key < $1.key }
    guard
      let raw = Self.withTexts(
        pairs.map(\.key),
        { keywords in Self.withTexts(pairs.map(\.value)) { PQconnectStartParams(keywords, $0, 0) } }
      )
    else { throw .unreachable(.brokenOff) }
    self.raw = raw
    self.limits = limits
    self.cancellation = cancellation
    // Ask for the SQLSTATE code instead of a text, because the text may be in any language.
    PQsetErrorVerbosity(raw, PQERRORS_SQLSTATE)
    // By default, libpq prints notices to standard error.
    PQsetNoticeProcessor(raw, { _, _ in }, nil)
    try connect()
    PQsetnonblocking(raw, 1)
  }

  deinit { PQfinish(raw) }

  /// The server's version, such as 150018 for 15.18.
  var serverVersion: Int { Int(PQserverVersion(raw)) }

  /// The process ID of the server session, as reported to the client. A connection pooler reports a different
  /// number.
  var backendProcess: Int { Int(PQbackendPID(raw)) }

  /// Whether the connection cannot be used any more.
  var isBroken: Bool { PQstatus(raw) == CONNECTION_BAD }

  private static func withTexts<Result>(
    _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
  ) -> Result {
    let copies = texts.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return (copies.map { UnsafePointer($0) } + [nil]).withUnsafeBufferPointer { buffer in
      // The buffer is never empty, because it ends with `nil`.
      buffer.baseAddress.map(body)!
    }
  }

  // MARK: - Connecting

  private func connect() throws(PostgreSQLError) {
    let deadline = ContinuousClock.now + limits.connecting
    var events = Int16(POLLOUT)
    while PQstatus(raw) != CONNECTION_BAD {
      try wait(for: events, until: deadline, limits.connecting)
      switch PQconnectPoll(raw) {
      case PGRES_POLLING_OK: return
      case PGRES_POLLING_READING: events = Int16(POLLIN)
      case PGRES_POLLING_WRITING: events = Int16(POLLOUT)
      default: throw ConnectionMessage(String(cString: PQerrorMessage(raw))).failure
      }
    }
    throw ConnectionMessage(String(cString: PQerrorMessage(raw))).failure
  }

  // MARK: - Statements

  /// Runs one statement with text parameters.
  func perform(_ sql: String, _ parameters: [String?]) throws(PostgreSQLError) -> QueryResult {
    let copies = parameters.map { $0.map { strdup($0) } ?? nil }
    defer { for copy in copies { free(copy) } }
    let sent = copies.map { UnsafePointer($0) }.withUnsafeBufferPointer {
      PQsendQueryParams(raw, sql, Int32(parameters.count), nil, $0.baseAddress, nil, nil, 0)
    }
    guard sent == 1 else { throw .lost }
    return try result()
  }

  /// Runs statements without parameters in one message, up to the first error.
  ///
  /// - Returns: The result of the last statement.
  @discardableResult
  func perform(_ sql: String) throws(PostgreSQLError) -> QueryResult {
    guard PQsendQuery(raw, sql) == 1 else { throw .lost }
    return try result()
  }

  /// Reads results until the server is ready for the next statement. Returns the last one.
  private func result() throws(PostgreSQLError) -> QueryResult {
    let deadline = ContinuousClock.now + limits.answering + limits.grace
    try flush(until: deadline)
    var last: QueryResult?
    var failure: PostgreSQLError?
    while let result = try nextResult(until: deadline) {
      if let error = result.error { failure = failure ?? error }
      last = result
      // The server is waiting for COPY data, which the caller sends.
      if result.status == PGRES_COPY_IN { break }
    }
    if let failure { throw failure }
    guard let last else { throw .lost }
    return last
  }

  private func nextResult(until deadline: ContinuousClock.Instant) throws(PostgreSQLError) -> QueryResult? {
    while PQisBusy(raw) != 0 {
      try wait(for: Int16(POLLIN), until: deadline, limits.answering)
      guard PQconsumeInput(raw) == 1 else { throw .lost }
    }
    return PQgetResult(raw).map { QueryResult($0) }
  }

  // MARK: - COPY

  /// Sends rows in the binary format of COPY.
  ///
  /// - Parameters:
  ///   - sql: `COPY … FROM STDIN (FORMAT binary)`.
  ///   - rows: Calls `send` with the bytes of the COPY data, from header to trailer.
  /// - Returns: The number of rows that the table accepted.
  func copy(
    _ sql: String, rows: (_ send: ([UInt8]) throws(PostgreSQLError) -> Void) throws(PostgreSQLError) -> Void
  ) throws(PostgreSQLError) -> Int {
    try perform(sql)
    try rows(send)
    guard PQputCopyEnd(raw, nil) == 1 else { throw .lost }
    return try result().affected
  }

  /// Sends bytes and waits until the kernel has accepted them, so that libpq does not buffer much data.
  private func send(_ bytes: [UInt8]) throws(PostgreSQLError) {
    let sent = bytes.withUnsafeBytes {
      PQputCopyData(raw, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32($0.count))
    }
    guard sent == 1 else {
      // The server may have sent an error that explains why it accepts no more data. If so, throw that one.
      _ = try result()
      throw .lost
    }
    try flush(until: ContinuousClock.now + limits.answering + limits.grace)
  }

  private func flush(until deadline: ContinuousClock.Instant) throws(PostgreSQLError) {
    while true {
      switch PQflush(raw) {
      case 0: return
      case 1:
        // Read too, because a server that is sending may not read until the client has received its data.
        let ready = try wait(for: Int16(POLLIN | POLLOUT), until: deadline, limits.answering)
        if ready & Int16(POLLIN) != 0, PQconsumeInput(raw) != 1 { throw .lost }
      default: throw .lost
      }
    }
  }

  // MARK: - Waiting

  /// Waits for events on the socket.
  ///
  /// - Returns: The events that poll(2) reports.
  @discardableResult
  private func wait(for events: Int16, until deadline: ContinuousClock.Instant, _ limit: Duration)
    throws(PostgreSQLError) -> Int16
  {
    while true {
      if cancellation.isCancelled {
        cancelStatement()
        throw .cancelled
      }
      let left = (deadline - ContinuousClock.now).milliseconds
      guard left > 0 else { throw .silent(limit) }
      var polled = [
        pollfd(fd: PQsocket(raw), events: events, revents: 0),
        pollfd(fd: cancellation.wakeUp, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&polled, 2, Int32(clamping: left)) > 0 else { continue }
      if polled[0].revents != 0 { return polled[0].revents }
    }
  }

  /// Asks the server to cancel the statement. This runs on its own thread, because `PQcancel` blocks until
  /// the server responds, and a hung server never does.
  private func cancelStatement() {
    guard let request = PQgetCancel(raw) else { return }
    var thread = pthread_t()
    let status = pthread_create(
      &thread, nil,
      { request in
        var reason = [CChar](repeating: 0, count: 256)
        PQcancel(request.map(OpaquePointer.init), &reason, 256)
        PQfreeCancel(request.map(OpaquePointer.init))
        return nil
      }, UnsafeMutableRawPointer(request))
    if status == 0 { pthread_detach(thread) } else { PQfreeCancel(request) }
  }
}

/// The timeouts for a server.
struct Limits: Sendable {
  /// The timeout for connecting and authenticating.
  var connecting: Duration = .seconds(15)
  /// The timeout for a statement. The server enforces it, as its `statement_timeout`.
  var answering: Duration = .seconds(60)
  /// How long to wait after `answering` for the server to report that it stopped the statement.
  var grace: Duration = .seconds(10)
  /// The timeout for a lock that another session holds.
  var locking: Duration = .seconds(20)
}

extension Duration {
  var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
