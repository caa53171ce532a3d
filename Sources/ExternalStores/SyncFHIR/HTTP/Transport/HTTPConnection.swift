internal import CCurl
internal import Glibc
internal import HealthDataSync
internal import Synchronization

/// A connection to one server, which is kept from request to request, and its thread. libcurl is called on it
/// alone but for what wakes it, and it has one request at a time; so no thread of Swift's waits for a server.
// @unchecked: what is not under the lock is touched by the thread itself alone.
final class HTTPConnection: @unchecked Sendable {
  struct Settings: Sendable {
    /// To reach the server, with its name and TLS.
    var connecting: Duration
    /// From the first octet to the last: a server that goes on sending a little is one that hangs.
    var whole: Duration
    /// A file of certificates (PEM) to trust in place of the system's.
    var certificateAuthority: String?
  }

  private struct Inbox {
    var exchanges: [Exchange] = []
    var isClosed = false
    /// The thread has ended, and its handles with it.
    var isOver = false
    var waitingForEnd: [CheckedContinuation<Void, Never>] = []
  }

  /// Initializes libcurl, once in a process.
  private static let isInitialized = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  private let settings: Settings
  private let inbox = Mutex(Inbox())
  private let multi: UnsafeMutableRawPointer
  private let easy: UnsafeMutableRawPointer

  /// Starts the thread, which runs until ``close()`` or ``abandon()``. Nothing is connected before a request.
  init(_ settings: Settings) throws(ExternalStoreError) {
    guard Self.isInitialized, let multi = curl_multi_init() else { throw Self.noMemory }
    guard let easy = curl_easy_init() else {
      curl_multi_cleanup(multi)
      throw Self.noMemory
    }
    (self.settings, self.multi, self.easy) = (settings, multi, easy)
    try start()
  }

  private static let noMemory = ExternalStoreError(
    "there is no memory, or no thread, for a connection: see what else runs here", outlook: .passing)

  private func start() throws(ExternalStoreError) {
    var thread = pthread_t()
    let this = Unmanaged.passRetained(self)
    let status = pthread_create(
      &thread, nil,
      { data in
        guard let data else { return nil }
        Unmanaged<HTTPConnection>.fromOpaque(data).takeRetainedValue().run()
        return nil
      }, this.toOpaque())
    guard status == 0 else {
      this.release()
      cleanUp()
      throw Self.noMemory
    }
    pthread_detach(thread)
  }

  // MARK: - What is asked of it

  /// - Throws: `TransferFailure`; `.cancelled` soon after the task was cancelled.
  func send(_ request: HTTPRequest) async throws -> HTTPAnswer {
    let cancellation = Exchange.Cancellation()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { waiter in
        let exchange = Exchange(request, cancellation, waiter)
        let isLate = notify { inbox in
          if !inbox.isClosed { inbox.exchanges.append(exchange) }
          return inbox.isClosed
        }
        if isLate { exchange.end(.failure(.closed)) }
      }
    } onCancel: {
      cancellation.cancel()
      notify { _ in }
    }
  }

  /// Ends a request that is under way. Returns when nothing is left open.
  func close() async {
    await withCheckedContinuation { waiter in
      let isOver = notify { inbox in
        inbox.isClosed = true
        if !inbox.isOver { inbox.waitingForEnd.append(waiter) }
        return inbox.isOver
      }
      if isOver { waiter.resume() }
    }
  }

  /// As ``close()``, without waiting for it.
  func abandon() { notify { $0.isClosed = true } }

  /// Changes what the thread looks at, and has it look. Under the lock, so that the handle is still there.
  private func notify<Result: Sendable>(_ change: (inout Inbox) -> Result) -> Result {
    inbox.withLock { inbox in
      defer { if !inbox.isOver { curl_multi_wakeup(multi) } }
      return change(&inbox)
    }
  }

  // MARK: - On the thread

  private func run() {
    // A signal is for the program's other threads; SIGPIPE, which OpenSSL may raise, for nobody.
    var all = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, nil)
    while let exchange = next() { exchange.end(carry(exchange)) }
    let waiting = inbox.withLock { inbox in
      inbox.isOver = true
      // Also where nobody closed it: the thread ends when it cannot wait.
      inbox.isClosed = true
      // Within the lock: whoever has it may wake the handle.
      cleanUp()
      return inbox
    }
    for exchange in waiting.exchanges { exchange.end(.failure(.closed)) }
    for waiter in waiting.waitingForEnd { waiter.resume() }
  }

  private func cleanUp() {
    curl_easy_cleanup(easy)
    curl_multi_cleanup(multi)
  }

  /// Waits for it. Nil when the connection is closed, or nothing can be waited for: it is opened anew then.
  private func next() -> Exchange? {
    while true {
      let (exchange, isClosed) = inbox.withLock { inbox in
        (inbox.isClosed || inbox.exchanges.isEmpty ? nil : inbox.exchanges.removeFirst(), inbox.isClosed)
      }
      if isClosed { return nil }
      if let exchange { return exchange }
      guard wait() == CURLM_OK else { return nil }
    }
  }

  /// Until the socket has something, a limit has passed, or somebody wakes it.
  private func wait() -> CURLMcode { curl_multi_poll(multi, nil, 0, 60_000, nil) }

  private func carry(_ exchange: Exchange) -> Result<HTTPAnswer, TransferFailure> {
    let transfer = Transfer(exchange.request.body)
    let options = RequestOptions(exchange.request, settings)
    // What is set anew keeps the connection, which is the multi handle's.
    curl_easy_reset(easy)
    let setting = options.set(on: easy)
    guard setting == CURLE_OK else { return .failure(TransferFailure(setting)) }
    transfer.attach(to: easy)
    let adding = curl_multi_add_handle(multi, easy)
    guard adding == CURLM_OK else { return .failure(TransferFailure(adding)) }
    let result = outcome(exchange, transfer)
    curl_multi_remove_handle(multi, easy)
    return result
  }

  private func outcome(_ exchange: Exchange, _ transfer: Transfer) -> Result<HTTPAnswer, TransferFailure> {
    while true {
      if exchange.cancellation.isCancelled { return .failure(.cancelled) }
      if inbox.withLock(\.isClosed) { return .failure(.closed) }
      var count: Int32 = 0
      let performing = curl_multi_perform(multi, &count)
      guard performing == CURLM_OK else { return .failure(TransferFailure(performing)) }
      guard let message = curl_multi_info_read(multi, &count) else {
        let waiting = wait()
        guard waiting == CURLM_OK else { return .failure(TransferFailure(waiting)) }
        continue
      }
      let code = message.pointee.data.result
      if transfer.isTooLong { return .failure(.tooLong) }
      guard code == CURLE_OK else {
        return .failure(TransferFailure(code, limit: passedLimit, verifyResult: verifyResult))
      }
      var status = 0
      ccurl_get_number(easy, CURLINFO_RESPONSE_CODE, &status)
      return .success(transfer.answer(status))
    }
  }

  private var verifyResult: Int {
    var result = 0
    ccurl_get_number(easy, CURLINFO_SSL_VERIFYRESULT, &result)
    return result
  }

  /// Which limit it is, where one has passed: the one of connecting as long as nothing could be sent.
  private var passedLimit: Duration {
    var reached: curl_off_t = 0
    ccurl_get_size(easy, CURLINFO_PRETRANSFER_TIME_T, &reached)
    return reached == 0 ? min(settings.connecting, settings.whole) : settings.whole
  }
}
