internal import HealthDataSync

/// One connection to a broker, from CONNECT to its end. It does not come back: whoever lost it opens another.
final class BrokerConnection: Sendable {
  struct Settings: Sendable {
    var address: MQTTAddress
    var password: String?
    /// What the broker knows this client by; a second connection with it ends the first.
    var clientID: String
    /// In seconds. A broker that says nothing for up to twice as long is taken for lost, and it takes this
    /// client for lost after one and a half times as long.
    var keepalive: Int32
    /// What the broker publishes if this connection ends without a word.
    var will: Message?
    var limits = Limits()
  }

  /// For how long what leads to a connection is waited for.
  struct Limits: Sendable {
    /// For an address to answer.
    var connecting = Duration.seconds(10)
    /// For the broker behind it to say that it lets this client in.
    var greeting = Duration.seconds(30)
  }

  private let thread: BrokerThread

  /// - Parameters:
  ///   - received: Called on the connection's thread.
  ///   - ended: Called there too, when the connection is over for whatever reason.
  /// - Throws: `ExternalStoreError`; `CancellationError`.
  static func open(
    _ settings: Settings, received: @escaping @Sendable (ReceivedMessage) -> Void = { _ in },
    ended: @escaping @Sendable () -> Void = {}
  ) async throws -> BrokerConnection {
    let thread = BrokerThread(settings, received: received, ended: ended)
    thread.start()
    do {
      try await thread.connected.value()
    } catch {
      thread.perform(.abandon)
      throw error
    }
    return BrokerConnection(thread)
  }

  private init(_ thread: BrokerThread) { self.thread = thread }

  deinit { thread.perform(.abandon) }

  /// Why it is over; `nil` as long as it stands.
  var failure: ExternalStoreError? { thread.failure }

  /// Publishes them in their order. They are in memory until they are acknowledged.
  /// - Returns: what the broker says of each, when it has said so of all.
  /// - Throws: `ExternalStoreError` if the connection is lost before; `CancellationError`. Then some of them
  ///   may be published and others not.
  func publish(_ messages: [Message]) async throws -> [ReasonCode] {
    let promise = Promise<[ReasonCode]>()
    thread.perform(.publish(messages, promise))
    return try await promise.value()
  }

  /// - Returns: what the broker says of each filter.
  func subscribe(_ filters: [String]) async throws -> [ReasonCode] {
    let promise = Promise<[ReasonCode]>()
    thread.perform(.subscribe(filters, promise))
    return try await promise.value()
  }

  /// Publishes the last words, takes leave of the broker, and returns when the connection is over: after a
  /// few seconds if the broker does not answer, and then without leave, so that it publishes the will.
  func close(saying lastWords: [Message] = []) async {
    thread.perform(.close(lastWords))
    try? await thread.over.value()
  }

  /// Ends it without leave, as a crash would.
  func abandon() { thread.perform(.abandon) }
}
