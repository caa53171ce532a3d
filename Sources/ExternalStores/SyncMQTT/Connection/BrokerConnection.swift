internal import HealthDataSync

/// A connection to a broker, from the CONNECT packet to its end. It does not reconnect; its owner opens a new
/// one instead.
final class BrokerConnection: Sendable {
  struct Settings: Sendable {
    var address: MQTTAddress
    var password: String?
    /// The client ID. The broker closes a connection when another one with the same ID is opened.
    var clientID: String
    /// The keepalive interval in seconds. A broker that sends nothing counts as lost after at most twice this
    /// interval. The broker closes the connection of a silent client after 1.5 times this interval.
    var keepalive: Int32
    /// The will: the message that the broker publishes if the connection ends without a DISCONNECT packet.
    var will: Message?
    var limits = Limits()
  }

  /// The timeouts for connecting.
  struct Limits: Sendable {
    /// The timeout for a TCP connection to one address.
    var connecting = Duration.seconds(10)
    /// The timeout for the broker's CONNACK packet.
    var greeting = Duration.seconds(30)
  }

  private let thread: BrokerThread

  /// Opens a connection.
  ///
  /// - Parameters:
  ///   - received: Called on the connection's thread for each received message.
  ///   - ended: Called on the connection's thread when the connection ends for any reason.
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

  /// The error that ended the connection, or `nil` while it is open.
  var failure: ExternalStoreError? { thread.failure }

  /// Publishes messages in order. They stay in memory until the broker acknowledges them.
  ///
  /// - Returns: The broker's reason code for each message.
  /// - Throws: `ExternalStoreError` if the connection is lost first; `CancellationError`. In either case, any
  ///   number of the messages may have been published.
  func publish(_ messages: [Message]) async throws -> [ReasonCode] {
    let promise = Promise<[ReasonCode]>()
    thread.perform(.publish(messages, promise))
    return try await promise.value()
  }

  /// Subscribes to topic filters.
  ///
  /// - Returns: The broker's reason code for each filter.
  func subscribe(_ filters: [String]) async throws -> [ReasonCode] {
    let promise = Promise<[ReasonCode]>()
    thread.perform(.subscribe(filters, promise))
    return try await promise.value()
  }

  /// Publishes the last messages, disconnects, and returns when the connection is closed. If the broker does
  /// not respond within a few seconds, the connection is closed without a DISCONNECT packet, and the broker
  /// publishes the will.
  func close(saying lastWords: [Message] = []) async {
    thread.perform(.close(lastWords))
    try? await thread.over.value()
  }

  /// Closes the connection without a DISCONNECT packet, as a crash would.
  func abandon() { thread.perform(.abandon) }
}

/// Creates client IDs (MQTT 5.0, section 3.1.3.1). The ID is always the same for a gateway, person and
/// destination, so that a new connection makes the broker close an old one that it still considers open.
enum ClientID {
  static func samples(_ identity: ExternalIdentity, destination: String) -> String {
    id([identity.gatewayKey, identity.person, destination])
  }

  /// Returns the ID of the connection for the live state. It differs from that for samples, because the
  /// broker allows only one connection with an ID.
  static func live(_ identity: ExternalIdentity, destination: String) -> String {
    id([identity.gatewayKey, identity.person, destination, "live"])
  }

  private static func id(_ parts: [String]) -> String {
    (["hrgate"] + parts.map(ObjectID.escaped)).joined(separator: ".")
  }
}
