internal import Foundation
public import HealthDataSync
internal import HealthKit

/// A broker, to which each sample and each deletion goes as a message of its own.
///
/// A broker keeps nothing of them but for clients that subscribed: see the page of this module. A message
/// that comes again has the same UUID, by which whoever consumes them takes it for the same.
public actor MQTTStore: ExternalStore {
  /// How many messages, and how many bytes of them, are in memory and not yet acknowledged: what bounds the
  /// memory whatever a page holds.
  private static let window = (messages: 256, bytes: 262_144)
  /// In seconds.
  private static let keepalive: Int32 = 30

  private let settings: BrokerConnection.Settings
  private let identity: ExternalIdentity
  private let topics: SampleTopics
  private var connection: BrokerConnection?

  /// - Parameters:
  ///   - password: Of the address' user; `nil` for none.
  ///   - destination: The destination's name, which is a part of what the broker knows this client by: so
  ///     that several to one broker do not end each other's connections.
  public init(_ address: MQTTAddress, password: String?, identity: ExternalIdentity, destination: String) {
    settings = BrokerConnection.Settings(
      address: address, password: password, clientID: ClientID.samples(identity, destination: destination),
      keepalive: Self.keepalive)
    self.identity = identity
    topics = SampleTopics(address, identity)
  }

  public func open() async throws {
    connection?.abandon()
    connection = nil
    connection = try await BrokerConnection.open(settings)
  }

  /// Publishes with QoS 1 and returns when the broker has acknowledged all of it.
  public func carry(_ page: ChangePage) async throws -> [Refusal] {
    guard let connection else { throw BrokerFailure.closed }
    do {
      // The deletions are acknowledged before a sample is published: a broker keeps the order within a topic,
      // and they are on different ones.
      return try await publish(page.deleted, over: connection, deletion(of: page.type))
        + publish(page.added, over: connection, message)
    } catch {
      // What is under way now would be acknowledged to nobody.
      connection.abandon()
      self.connection = nil
      throw error
    }
  }

  public func close() async {
    let open = connection
    connection = nil
    await open?.close()
  }

  // MARK: - Messages

  private struct Outgoing {
    var uuid: UUID
    var message: Message
  }

  private func deletion(of type: HKSampleType) -> (HKDeletedObject) -> Result<Outgoing, Refusal.Cause> {
    { [topics, identity] object in
      Self.outgoing(
        object.uuid, topics.deletion(type: type.identifier),
        DeletionMessage(object, type: type, identity))
    }
  }

  private func message(_ record: ExternalRecord) -> Result<Outgoing, Refusal.Cause> {
    let sample = record.sample
    let topic = topics.sample(
      type: sample.sampleType.identifier, source: sample.sourceRevision.source.bundleIdentifier)
    return Self.outgoing(sample.uuid, topic, SampleMessage(record, identity))
  }

  private static func outgoing(_ uuid: UUID, _ topic: String, _ payload: some Encodable)
    -> Result<Outgoing, Refusal.Cause>
  {
    guard let bytes = try? JSONLine.bytes(payload) else {
      return .failure(Refusal.Cause(uuid: uuid, reason: "it holds a number that JSON cannot write"))
    }
    return .success(Outgoing(uuid: uuid, message: Message(topic: topic, payload: bytes)))
  }

  // MARK: - Publishing

  /// Makes messages only as fast as they are acknowledged.
  private func publish<Change>(
    _ changes: [Change], over connection: BrokerConnection,
    _ outgoing: (Change) -> Result<Outgoing, Refusal.Cause>
  ) async throws -> [Refusal] {
    var refusals: [Refusal] = []
    var batch: [Outgoing] = []
    var bytes = 0
    for change in changes {
      switch outgoing(change) {
      case .failure(let cause): refusals.append(cause.refusal)
      case .success(let message):
        batch.append(message)
        bytes += message.message.packetSize
      }
      if batch.count >= Self.window.messages || bytes >= Self.window.bytes {
        refusals += try await publish(batch, over: connection)
        batch = []
        bytes = 0
      }
    }
    return refusals + (try await publish(batch, over: connection))
  }

  private func publish(_ batch: [Outgoing], over connection: BrokerConnection) async throws -> [Refusal] {
    try Task.checkCancellation()
    guard !batch.isEmpty else { return [] }
    let answers = try await connection.publish(batch.map(\.message))
    return try zip(batch, answers).compactMap { outgoing, answer in
      switch answer {
      case .packetTooLarge:
        Refusal(
          uuid: outgoing.uuid,
          reason: "its message of \(outgoing.message.packetSize) bytes is larger than the broker takes")
      case .topicNameInvalid:
        Refusal(uuid: outgoing.uuid, reason: "the broker does not take the topic of its type and source")
      case .payloadFormatInvalid: Refusal(uuid: outgoing.uuid, reason: "the broker does not take its message")
      case _ where answer.isFailure:
        throw BrokerFailure.untaken(settings.address, answer, topic: outgoing.message.topic)
      default: nil
      }
    }
  }
}

extension Refusal {
  /// A refusal on its way.
  fileprivate struct Cause: Error {
    var uuid: UUID
    var reason: String
    var refusal: Refusal { Refusal(uuid: uuid, reason: reason) }
  }
}
