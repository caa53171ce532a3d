internal import Foundation
public import HealthDataSync
internal import HealthKit

/// An external store that publishes each sample and each deletion as a message to an MQTT broker.
///
/// A broker delivers these messages only to subscribed clients, and keeps them only for clients with a
/// persistent session. A message that is sent again has the same UUID, so consumers can remove duplicates.
public actor MQTTStore: ExternalStore {
  /// Maximum number and total bytes of unacknowledged messages. The limit keeps memory use low even if there
  /// are many or large changes to publish.
  private static let window = (messages: 256, bytes: 262_144)
  /// The keepalive interval in seconds.
  private static let keepalive: Int32 = 30

  private let settings: BrokerConnection.Settings
  private let identity: ExternalIdentity
  private let topics: SampleTopics
  private var connection: BrokerConnection?

  /// Creates a store.
  ///
  /// - Parameters:
  ///   - password: The password of the address's user, or `nil`.
  ///   - destination: The name of the destination. It is part of the client ID, because a broker allows only
  ///     one connection with an ID.
  public init(_ address: MQTTAddress, password: String?, identity: ExternalIdentity, destination: String) {
    settings = BrokerConnection.Settings(
      address: address, password: password, clientID: ClientID.samples(identity, destination: destination),
      keepalive: Self.keepalive)
    self.identity = identity
    topics = SampleTopics(address, identity)
  }

  /// Connects to the broker. Closes an earlier connection of this store.
  ///
  /// - Throws: `ExternalStoreError` if the broker cannot be reached or rejects the user; `CancellationError`.
  public func open() async throws {
    connection?.abandon()
    connection = nil
    connection = try await BrokerConnection.open(settings)
  }

  /// Publishes a page of changes with QoS 1 and returns when the broker has acknowledged all messages.
  /// - Throws: `ExternalStoreError` if the connection is lost or the broker rejects a message. The connection
  ///   is then closed, and the whole page must be sent again; `CancellationError`.
  public func upload(_ page: ChangePage) async throws -> [RejectedChange] {
    guard let connection else { throw BrokerFailure.closed }
    do {
      // Wait for the acknowledgment of the deletions before publishing the first sample: they use different
      // topics, and brokers preserve the order only within a topic.
      return try await publish(page.deleted, over: connection, deletion(of: page.type))
        + publish(page.added, over: connection, message)
    } catch {
      // Close the connection, because nothing is waiting for acknowledgments any more.
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

  private func deletion(of type: HKSampleType) -> (HKDeletedObject) -> Result<
    Outgoing, RejectedChange.MessageError
  > {
    { [topics, identity] object in
      Self.outgoing(
        object.uuid, topics.deletion(type: type.identifier),
        DeletionMessage(object, type: type, identity))
    }
  }

  private func message(_ record: ExternalRecord) -> Result<Outgoing, RejectedChange.MessageError> {
    let sample = record.sample
    let topic = topics.sample(
      type: sample.sampleType.identifier, source: sample.sourceRevision.source.bundleIdentifier)
    return Self.outgoing(sample.uuid, topic, SampleMessage(record, identity))
  }

  private static func outgoing(_ uuid: UUID, _ topic: String, _ payload: some Encodable)
    -> Result<Outgoing, RejectedChange.MessageError>
  {
    guard let bytes = try? JSONLine.bytes(payload) else {
      return .failure(
        RejectedChange.MessageError(
          uuid: uuid, reason: "the sample contains a number that JSON cannot represent"))
    }
    return .success(Outgoing(uuid: uuid, message: Message(topic: topic, payload: bytes)))
  }

  // MARK: - Publishing

  /// Publishes changes in batches, each after the previous one has been acknowledged.
  private func publish<Change>(
    _ changes: [Change], over connection: BrokerConnection,
    _ outgoing: (Change) -> Result<Outgoing, RejectedChange.MessageError>
  ) async throws -> [RejectedChange] {
    var rejections: [RejectedChange] = []
    var batch: [Outgoing] = []
    var bytes = 0
    for change in changes {
      switch outgoing(change) {
      case .failure(let cause): rejections.append(cause.rejection)
      case .success(let message):
        batch.append(message)
        bytes += message.message.packetSize
      }
      if batch.count >= Self.window.messages || bytes >= Self.window.bytes {
        rejections += try await publish(batch, over: connection)
        batch = []
        bytes = 0
      }
    }
    return rejections + (try await publish(batch, over: connection))
  }

  private func publish(_ batch: [Outgoing], over connection: BrokerConnection) async throws
    -> [RejectedChange]
  {
    try Task.checkCancellation()
    guard !batch.isEmpty else { return [] }
    let responses = try await connection.publish(batch.map(\.message))
    return try zip(batch, responses).compactMap { outgoing, response in
      switch response {
      case .packetTooLarge:
        RejectedChange(
          uuid: outgoing.uuid,
          reason:
            "the sample's message of \(outgoing.message.packetSize) bytes is larger than the broker allows")
      case .topicNameInvalid:
        RejectedChange(
          uuid: outgoing.uuid, reason: "the broker rejects the topic of the sample's type and source")
      case .payloadFormatInvalid:
        RejectedChange(uuid: outgoing.uuid, reason: "the broker rejects the sample's message")
      case _ where response.isFailure:
        throw BrokerFailure.untaken(settings.address, response, topic: outgoing.message.topic)
      default: nil
      }
    }
  }
}

extension RejectedChange {
  /// The rejection of one record, as an error that can be thrown.
  fileprivate struct MessageError: Error {
    var uuid: UUID
    var reason: String
    var rejection: RejectedChange { RejectedChange(uuid: uuid, reason: reason) }
  }
}
