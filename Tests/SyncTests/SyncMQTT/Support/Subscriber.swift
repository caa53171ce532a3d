import Foundation
import Synchronization

@testable import ExternalStores
@testable import TestSupport

/// A client that records the messages of its subscriptions.
final class Subscriber: Sendable {
  private let connection: BrokerConnection
  private let messages: AsyncStream<ReceivedMessage>
  private let all: Box

  private final class Box: Sendable {
    let messages = Mutex<[ReceivedMessage]>([])
  }

  /// Returns when the broker has acknowledged the subscription.
  init(_ broker: Broker, user: String? = nil, password: String? = nil, _ filters: String...) async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: ReceivedMessage.self)
    let all = Box()
    connection = try await BrokerConnection.open(
      .init(
        address: broker.address(user: user), password: password, clientID: "subscriber-\(UUID())",
        keepalive: 30),
      received: { message in
        all.messages.withLock { $0.append(message) }
        continuation.yield(message)
      }, ended: { continuation.finish() })
    messages = stream
    self.all = all
    _ = try await connection.subscribe(filters)
  }

  /// All messages received so far.
  var received: [ReceivedMessage] { all.messages.withLock(\.self) }

  /// Waits until the received messages fulfill a condition. Returns false if the connection ends before.
  func wait(until condition: ([ReceivedMessage]) -> Bool) async -> Bool {
    if condition(received) { return true }
    for await _ in messages where condition(received) { return true }
    return condition(received)
  }

  /// Waits for a message that fulfills the condition. Returns nil if the connection ends before.
  func first(where condition: @escaping (ReceivedMessage) -> Bool) async -> ReceivedMessage? {
    _ = await wait { $0.contains(where: condition) }
    return received.first(where: condition)
  }

  /// Waits for this number of messages, and returns all messages received so far.
  func messages(_ count: Int) async -> [ReceivedMessage] {
    _ = await wait { $0.count >= count }
    return received
  }
}

extension ReceivedMessage {
  var text: String { String(decoding: payload, as: UTF8.self) }

  /// The payload as a JSON object, or an empty dictionary.
  var json: [String: Any] {
    (try? JSONSerialization.jsonObject(with: Data(payload))) as? [String: Any] ?? [:]
  }
}

extension Broker {
  func address(_ rest: String = "", user: String? = nil) throws -> MQTTAddress {
    try MQTTAddress("mqtt://\(user.map { "\($0)@" } ?? "")127.0.0.1:\(port)/\(rest)")
  }
}
