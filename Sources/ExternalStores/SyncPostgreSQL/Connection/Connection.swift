import CPostgreSQL
import Glibc

/// A connection to a server. Used from one queue; each call blocks it until the server has answered, for no
/// longer than the limits say and not after cancellation.
///
/// libpq is called without blocking throughout, and this waits itself: only so is a server that hangs an
/// error.
/// After `.silent`, `.lost` or `.cancelled` the connection is of no use any more.
final class Connection {
  private let raw: OpaquePointer
  private let limits: Limits
  /// Of whoever waits now.
  var cancellation: Cancellation

  /// - Parameter parameters: libpq's keywords and values, the password among them.
  /// - Throws: `DatabaseFailure`.
  init(_ parameters: [String: String], limits: Limits, cancellation: Cancellation) throws(DatabaseFailure) {
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
    // Only the code of an error: its text may be in any language.
    PQsetErrorVerbosity(raw, PQERRORS_SQLSTATE)
    // libpq prints notices where nobody says otherwise.
    PQsetNoticeProcessor(raw, { _, _ in }, nil)
    try connect()
    PQsetnonblocking(raw, 1)
  }

  deinit { PQfinish(raw) }

  /// As 150018 for 15.18.
  var serverVersion: Int { Int(PQserverVersion(raw)) }

  /// The process at the server that serves this connection, as the connection was told. A pooler in between
  /// makes a number up.
  var backendProcess: Int { Int(PQbackendPID(raw)) }

  /// Whether it is of no use any more.
  var isBroken: Bool { PQstatus(raw) == CONNECTION_BAD }

  private static func withTexts<Result>(
    _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
  ) -> Result {
    let copies = texts.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return (copies.map { UnsafePointer($0) } + [nil]).withUnsafeBufferPointer { buffer in
      // Not empty: it ends with nil.
      buffer.baseAddress.map(body)!
    }
  }

  // MARK: - Connecting

  private func connect() throws(DatabaseFailure) {
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

  /// Performs one statement with its parameters as texts.
  func perform(_ sql: String, _ parameters: [String?]) throws(DatabaseFailure) -> Answer {
    let copies = parameters.map { $0.map { strdup($0) } ?? nil }
    defer { for copy in copies { free(copy) } }
    let sent = copies.map { UnsafePointer($0) }.withUnsafeBufferPointer {
      PQsendQueryParams(raw, sql, Int32(parameters.count), nil, $0.baseAddress, nil, nil, 0)
    }
    guard sent == 1 else { throw .lost }
    return try answer()
  }

  /// Performs statements without parameters, in one message and up to the first that fails.
  /// - Returns: the answer to the last.
  @discardableResult
  func perform(_ sql: String) throws(DatabaseFailure) -> Answer {
    guard PQsendQuery(raw, sql) == 1 else { throw .lost }
    return try answer()
  }

  /// Reads until the server is ready again.
  private func answer() throws(DatabaseFailure) -> Answer {
    let deadline = ContinuousClock.now + limits.answering + limits.grace
    try flush(until: deadline)
    var last: Answer?
    var failure: DatabaseFailure?
    while let answer = try nextAnswer(until: deadline) {
      if let error = answer.error { failure = failure ?? error }
      last = answer
      // What comes of it is the caller's to send.
      if answer.status == PGRES_COPY_IN { break }
    }
    if let failure { throw failure }
    guard let last else { throw .lost }
    return last
  }

  private func nextAnswer(until deadline: ContinuousClock.Instant) throws(DatabaseFailure) -> Answer? {
    while PQisBusy(raw) != 0 {
      try wait(for: Int16(POLLIN), until: deadline, limits.answering)
      guard PQconsumeInput(raw) == 1 else { throw .lost }
    }
    return PQgetResult(raw).map { Answer($0) }
  }

  // MARK: - COPY

  /// Sends rows in the binary format of COPY.
  /// - Parameters:
  ///   - sql: `COPY … FROM STDIN (FORMAT binary)`.
  ///   - rows: calls `send` with the file's bytes, from its head to its end.
  /// - Returns: the number of rows that the table took.
  func copy(
    _ sql: String, rows: (_ send: ([UInt8]) throws(DatabaseFailure) -> Void) throws(DatabaseFailure) -> Void
  ) throws(DatabaseFailure) -> Int {
    try perform(sql)
    try rows(send)
    guard PQputCopyEnd(raw, nil) == 1 else { throw .lost }
    return try answer().affected
  }

  /// Hands bytes to the kernel before it returns, so that libpq keeps none of a long file.
  private func send(_ bytes: [UInt8]) throws(DatabaseFailure) {
    let sent = bytes.withUnsafeBytes {
      PQputCopyData(raw, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32($0.count))
    }
    guard sent == 1 else {
      // The server may have said already why it takes no more.
      _ = try answer()
      throw .lost
    }
    try flush(until: ContinuousClock.now + limits.answering + limits.grace)
  }

  private func flush(until deadline: ContinuousClock.Instant) throws(DatabaseFailure) {
    while true {
      switch PQflush(raw) {
      case 0: return
      case 1:
        // A server that has something to say first does not read on until it is heard.
        let ready = try wait(for: Int16(POLLIN | POLLOUT), until: deadline, limits.answering)
        if ready & Int16(POLLIN) != 0, PQconsumeInput(raw) != 1 { throw .lost }
      default: throw .lost
      }
    }
  }

  // MARK: - Waiting

  /// - Returns: what poll(2) says of the socket.
  @discardableResult
  private func wait(for events: Int16, until deadline: ContinuousClock.Instant, _ limit: Duration)
    throws(DatabaseFailure) -> Int16
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
        pollfd(fd: cancellation.bell, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&polled, 2, Int32(clamping: left)) > 0 else { continue }
      if polled[0].revents != 0 { return polled[0].revents }
    }
  }

  /// Asks the server to stop. libpq waits there for an answer that a server which hangs never gives, so
  /// a thread of its own asks.
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
