import Foundation
import HealthDataSync
import HealthKit
import Testing

@testable import ExternalStores
@testable import TestSupport

/// Tests refusals by the broker, and the messages about them.
@Suite(.enabled(if: Broker.isInstalled), .timeLimit(.minutes(30))) struct MQTTRefusalTests {
  @Test func `a wrong password is reported, and the correct one is accepted`() async throws {
    let broker = try await Broker(users: ["ada": "s3cret"])
    let address = try broker.address(user: "ada")
    for password in ["wrong", nil] {
      let error = await failure { try await mqttStore(address, password: password).open() }
      #expect(error?.description.contains("rejects ada: check the user and the password") == true)
      #expect(error?.outlook == .lasting)
      #expect(error?.description.contains("wrong") == false)
    }
    let anonymous = await failure { try await mqttStore(broker.address()).open() }
    #expect(anonymous?.description.contains("requires a user and a password") == true)
    let store = mqttStore(address, password: "s3cret")
    try await store.open()
    await store.close()
  }

  @Test func `without write access the missing right is reported, and nothing counts as sent`() async throws {
    let folder = try TemporaryFolder()
    let rights = try folder.file("acl", Array("user ada\ntopic write hrgate/ada/allowed/#\n".utf8))
    let broker = try await Broker(["acl_file \(rights)"], users: ["ada": "s3cret"])
    let store = mqttStore(try broker.address(user: "ada"), password: "s3cret")
    try await store.open()
    let error = await failure {
      _ = try await store.upload(page((60...69).map { heartRateSample(Double($0)) }))
    }
    #expect(error?.description.contains("does not permit ada to publish hrgate/ada/") == true)
    #expect(error?.description.contains("permit writing to hrgate/#") == true)
    #expect(error?.outlook == .lasting)
    await store.close()
  }

  @Test func `an unknown host name is reported`() async throws {
    let error = await failure {
      try await mqttStore(MQTTAddress("mqtts://broker.invalid/")).open()
    }
    #expect(error?.description.contains("the host name broker.invalid cannot be resolved") == true)
    #expect(error?.outlook == .passing)
  }

  @Test(
    arguments: [
      (0x84, "supports only MQTT 3.1.1", ExternalStoreError.Outlook.lasting),
      (0x01, "supports only MQTT 3.1.1", .lasting), (0x85, "shorten the name of the person", .lasting),
      (0x86, "requires a user and a password", .lasting), (0x88, "accepts no connections now", .passing),
      (0x8A, "has banned this client", .lasting), (0x97, "accepts no connections now", .passing),
      (0x9D, "has moved", .lasting), (0x9A, "retained messages", .lasting),
    ] as [(UInt8, String, ExternalStoreError.Outlook)])
  func `a rejected connection is reported with the broker's reason`(
    _ reason: UInt8, _ part: String, _ outlook: ExternalStoreError.Outlook
  ) async throws {
    let broker = try ScriptedBroker { packet in
      packet.kind == ScriptedBroker.Packet.connect ? [0x20, 3, 0, reason, 0] : []
    }
    let error = await failure { try await mqttStore(broker.address).open() }
    #expect(error?.description.contains(part) == true)
    #expect(error?.outlook == outlook)
  }

  @Test(
    arguments: [
      (0x87, "does not permit this client to publish", ExternalStoreError.Outlook.lasting),
      (0x97, "a quota of the broker", .passing), (0x80, "rejected a message", .passing),
    ] as [(UInt8, String, ExternalStoreError.Outlook)])
  func `a message that is rejected for a general reason stops the page`(
    _ reason: UInt8, _ part: String, _ outlook: ExternalStoreError.Outlook
  ) async throws {
    let broker = try ScriptedBroker { packet in
      switch packet.kind {
      case ScriptedBroker.Packet.connect: ScriptedBroker.accepted
      case ScriptedBroker.Packet.publish: packet.acknowledged(reason)
      default: []
      }
    }
    let store = mqttStore(try broker.address)
    try await store.open()
    let error = await failure { _ = try await store.upload(page([heartRateSample(60)])) }
    #expect(error?.description.contains(part) == true)
    #expect(error?.outlook == outlook)
  }

  @Test(arguments: [0x90, 0x99, 0x95] as [UInt8])
  func `a message that is rejected for its content is refused alone`(_ reason: UInt8) async throws {
    let broker = try ScriptedBroker { packet in
      switch packet.kind {
      case ScriptedBroker.Packet.connect: ScriptedBroker.accepted
      case ScriptedBroker.Packet.publish:
        packet.acknowledged(
          String(decoding: packet.body, as: UTF8.self).contains(#""value":61}"#) ? reason : 0x10)
      default: []
      }
    }
    let samples = (60...62).map { heartRateSample(Double($0), Double($0)) }
    let store = mqttStore(try broker.address)
    try await store.open()
    #expect(try await store.upload(page(samples)).map(\.uuid) == [samples[1].uuid])
  }

  @Test(
    arguments: [
      (0x8E, "a copy of its store runs twice", ExternalStoreError.Outlook.lasting),
      (0x95, "raise its limit", .lasting), (0x8B, "closed the connection", .passing),
      (0x87, "write access", .lasting),
    ] as [(UInt8, String, ExternalStoreError.Outlook)])
  func `a connection that the broker ends is reported with its reason`(
    _ reason: UInt8, _ part: String, _ outlook: ExternalStoreError.Outlook
  ) async throws {
    let broker = try ScriptedBroker { packet in
      switch packet.kind {
      case ScriptedBroker.Packet.connect: ScriptedBroker.accepted
      case ScriptedBroker.Packet.publish: [0xE0, 2, reason, 0]
      default: []
      }
    }
    let store = mqttStore(try broker.address)
    try await store.open()
    let error = await failure { _ = try await store.upload(page([heartRateSample(60)])) }
    #expect(error?.description.contains(part) == true)
    #expect(error?.outlook == outlook)
  }

  /// If the broker closes the connection with unread messages, TCP resets it and the client's next write
  /// fails. In most of the 20 rounds this happens before the client has read the refusal.
  @Test func `a refusal is reported if the broker closes the connection after it`() async throws {
    let broker = try ScriptedBroker { packet in
      guard packet.kind == ScriptedBroker.Packet.publish else { return ScriptedBroker.accepted }
      return packet.identifier == [0, 1] ? packet.acknowledged(0x87) : nil
    }
    let store = mqttStore(try broker.address)
    let samples = (0..<200).map { heartRateSample(60, Double($0)) }
    for _ in 0..<20 {
      try await store.open()
      let error = await failure { _ = try await store.upload(page(samples)) }
      #expect(error?.description.contains("does not permit this client to publish hrgate/") == true)
      #expect(error?.outlook == .lasting)
    }
  }

  /// The script acknowledges no message. The test counts the messages at each limit of 256 and then
  /// acknowledges them.
  @Test func `the number of unacknowledged messages is limited for any page`() async throws {
    let broker = try ScriptedBroker { packet in
      packet.kind == ScriptedBroker.Packet.connect ? ScriptedBroker.accepted : []
    }
    let store = mqttStore(try broker.address)
    try await store.open()
    let samples = (0..<600).map { heartRateSample(60, Double($0)) }
    async let rejections = store.upload(page(samples))
    for round in 1...3 {
      let count = min(256 * round, 600)
      #expect(await eventually { broker.packets(ScriptedBroker.Packet.publish).count >= count })
      let published = broker.packets(ScriptedBroker.Packet.publish)
      #expect(published.count == count)
      broker.send(published.suffix(count - 256 * (round - 1)).flatMap { $0.acknowledged() })
    }
    #expect(try await rejections.isEmpty)
  }

  @Test func `the broker's limit applies to the size of the packet`() async throws {
    let broker = try ScriptedBroker { packet in
      switch packet.kind {
      case ScriptedBroker.Packet.connect: ScriptedBroker.accepted
      case ScriptedBroker.Packet.publish: packet.acknowledged()
      default: []
      }
    }
    let connection = try await BrokerConnection.open(
      .init(address: broker.address, clientID: "size", keepalive: 30))
    // The length field of a packet grows by one byte at 128, 16,384 and 2,097,152 bytes. The packets have
    // sizes around these limits.
    let counts = [0, 100] + (110...130) + (16_360...16_390) + [2_097_130, 2_097_160]
    let messages = counts.flatMap { count in
      [nil, 10].map { Message(topic: "a/topic", payload: Array(repeating: 1, count: count), expiry: $0) }
    }
    _ = try await connection.publish(messages)
    #expect(broker.packets(ScriptedBroker.Packet.publish).map(\.size) == messages.map(\.packetSize))
    await connection.close()
  }

  /// The CONNACK packets of MQTT 3.1.1 have no properties. The first refuses the protocol version, and the
  /// second accepts the connection.
  @Test(arguments: [[0x20, 2, 0, 1], [0x20, 2, 0, 0]] as [[UInt8]])
  func `a broker that supports only MQTT 3_1_1 is reported`(_ answer: [UInt8]) async throws {
    let broker = try ScriptedBroker { $0.kind == ScriptedBroker.Packet.connect ? answer : [] }
    let error = await failure { try await mqttStore(broker.address).open() }
    #expect(error?.description.contains("MQTT 3.1.1") == true, "\(error?.description ?? "")")
    #expect(error?.description.contains("update") == true)
    #expect(error?.outlook == .lasting)
  }

  @Test func `a server that is not a broker is reported`() async throws {
    let page = "HTTP/1.1 400 Bad Request\r\n\r\n" + String(repeating: "<p>Bad Request</p>", count: 100)
    let stranger = try ScriptedBroker { _ in Array(page.utf8) }
    let error = await failure { try await mqttStore(stranger.address).open() }
    #expect(error?.outlook == .lasting)
    #expect(error?.description.contains("127.0.0.1:\(stranger.port) does not support MQTT 5") == true)
  }

  @Test func `a number that JSON cannot write is refused`() async throws {
    let broker = try await Broker()
    let store = mqttStore(try broker.address())
    try await store.open()
    let series = ExternalRecord(
      sample: heartRateSample(60),
      series: .heartbeats([.init(timeSinceStart: .infinity, precededByGap: false)]))
    let rejections = try await store.upload(ChangePage(type: pulse, deleted: [], added: [series]))
    #expect(rejections.map(\.reason) == ["the sample contains a number that JSON cannot represent"])
    await store.close()
  }
}

extension ScriptedBroker {
  var address: MQTTAddress {
    get throws { try MQTTAddress("mqtt://127.0.0.1:\(port)/") }
  }
}
