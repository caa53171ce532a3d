internal import CCurl
internal import Glibc
internal import HealthDataSync
internal import Synchronization

/// A persistent connection to one server, with its own thread.
///
/// libcurl is called only on that thread, except for the call that wakes it, and handles one request at a
/// time. Waiting for the server therefore does not block Swift's concurrency pool.
// @unchecked: all state is either under the lock or used only by the connection's thread.
final class HTTPConnection: @unchecked Sendable {
  struct Settings: Sendable {
    /// The timeout for the name lookup, the connection and TLS.
    var connecting: Duration
    /// The timeout for the whole request. It also limits servers that send very slowly.
    var whole: Duration
    /// A PEM file of certificates to trust instead of the system's.
    var certificateAuthority: String?
  }

  private struct Inbox {
    var exchanges: [Exchange] = []
    var isClosed = false
    /// Whether the thread has ended and freed libcurl's handles.
    var isOver = false
    var waitingForEnd: [CheckedContinuation<Void, Never>] = []
  }

  /// Whether libcurl is initialized. The first access initializes it, once per process.
  private static let isInitialized = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  private let settings: Settings
  private let inbox = Mutex(Inbox())
  private let multi: UnsafeMutableRawPointer
  private let easy: UnsafeMutableRawPointer

  /// Starts the thread, which runs until ``close()`` or ``abandon()``. The first request opens the
  /// connection.
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
    "there is not enough memory, or no thread, for a connection: check the load of this computer",
    outlook: .passing)

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

  // MARK: - Requests

  /// Sends a request and returns the response.
  ///
  /// - Throws: `TransferError`. It is `.cancelled` soon after the task is canceled.
  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
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

  /// Closes the connection and cancels the current request. Returns when all resources are freed.
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

  /// Closes the connection without waiting.
  func abandon() { notify { $0.isClosed = true } }

  /// Changes the inbox and wakes the thread. The lock is held during the wake-up, so that the thread cannot
  /// free the handle at the same time.
  private func notify<Result: Sendable>(_ change: (inout Inbox) -> Result) -> Result {
    inbox.withLock { inbox in
      defer { if !inbox.isOver { curl_multi_wakeup(multi) } }
      return change(&inbox)
    }
  }

  // MARK: - The thread

  private func run() {
    // Block all signals, so that the program's other threads handle them. This includes SIGPIPE, which
    // OpenSSL may raise.
    var all = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, nil)
    while let exchange = next() { exchange.end(perform(exchange)) }
    let waiting = inbox.withLock { inbox in
      inbox.isOver = true
      // Set the flag here too, because the thread also ends if waiting fails, without a call to `close()`.
      inbox.isClosed = true
      // Hold the lock while freeing the handles, because another thread may be waking this one.
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

  /// Waits for the next request. Returns `nil` if the connection was closed or if waiting failed, in which
  /// case the store opens a new connection.
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

  /// Waits until the socket is ready, a timeout passes, or another thread calls `notify`.
  private func wait() -> CURLMcode { curl_multi_poll(multi, nil, 0, 60_000, nil) }

  private func perform(_ exchange: Exchange) -> Result<HTTPResponse, TransferError> {
    let transfer = Transfer(exchange.request.body)
    let options = RequestOptions(exchange.request, settings)
    // This resets the options but keeps the TCP connection, which belongs to the multi handle.
    curl_easy_reset(easy)
    let setting = options.set(on: easy)
    guard setting == CURLE_OK else { return .failure(TransferError(setting)) }
    transfer.attach(to: easy)
    let adding = curl_multi_add_handle(multi, easy)
    guard adding == CURLM_OK else { return .failure(TransferError(adding)) }
    let result = outcome(exchange, transfer)
    curl_multi_remove_handle(multi, easy)
    return result
  }

  private func outcome(_ exchange: Exchange, _ transfer: Transfer) -> Result<HTTPResponse, TransferError> {
    while true {
      if exchange.cancellation.isCancelled { return .failure(.cancelled) }
      if inbox.withLock(\.isClosed) { return .failure(.closed) }
      var count: Int32 = 0
      let performing = curl_multi_perform(multi, &count)
      guard performing == CURLM_OK else { return .failure(TransferError(performing)) }
      guard let message = curl_multi_info_read(multi, &count) else {
        let waiting = wait()
        guard waiting == CURLM_OK else { return .failure(TransferError(waiting)) }
        continue
      }
      let code = message.pointee.data.result
      if transfer.isTooLong { return .failure(.tooLong) }
      guard code == CURLE_OK else {
        return .failure(TransferError(code, limit: passedLimit, verifyResult: verifyResult))
      }
      var status = 0
      ccurl_get_number(easy, CURLINFO_RESPONSE_CODE, &status)
      return .success(transfer.response(status))
    }
  }

  private var verifyResult: Int {
    var result = 0
    ccurl_get_number(easy, CURLINFO_SSL_VERIFYRESULT, &result)
    return result
  }

  /// The timeout that expired: the one for connecting if the request had not been sent yet, otherwise the one
  /// for the whole request.
  private var passedLimit: Duration {
    var reached: curl_off_t = 0
    ccurl_get_size(easy, CURLINFO_PRETRANSFER_TIME_T, &reached)
    return reached == 0 ? min(settings.connecting, settings.whole) : settings.whole
  }
}
