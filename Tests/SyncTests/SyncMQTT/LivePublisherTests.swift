import Foundation
import HealthDataSync
import HealthKit
import Testing

@testable import ExternalStores
@testable import TestSupport

/// Tests the live state with a real mosquitto.
@Suite(.enabled(if: Broker.isInstalled), .timeLimit(.minutes(30))) struct LivePublisherTests {
  private static let state = "hrgate/attic/\(address)/state"
  private static let availability = "hrgate/attic/\(address)/availability"
  private static let status = "hrgate/attic/status"
  private static let discovered = "homeassistant/device/hrgate_attic_a09e1a000001/config"

  private func publisher(
    _ broker: Broker, _ rest: String = "?discovery=homeassistant",
    _ destination: SyncDestination = somewhere(), lifetime: Duration = .seconds(3600)
  ) throws -> LivePublisher {
    LivePublisher(
      try broker.address(rest), password: nil, destination, states: states,
      lifetime: lifetime, backOff: .milliseconds(10))
  }

  /// Runs a publisher during `body`, then stops it.
  private func running(_ publisher: LivePublisher, _ body: () async throws -> Void) async throws {
    let run = Task { await publisher.run() }
    do {
      try await body()
    } catch {
      run.cancel()
      await run.value
      throw error
    }
    run.cancel()
    await run.value
  }

  private func kept(_ broker: Broker, _ topic: String) async throws -> ReceivedMessage? {
    // The broker sends the retained messages of a subscription before the message that is published to
    // `the/end`.
    let subscriber = try await Subscriber(broker, topic, "the/end")
    let store = try await BrokerConnection.open(
      .init(address: broker.address(), clientID: "end-\(UUID())", keepalive: 30))
    _ = try await store.publish([Message(topic: "the/end", payload: [1])])
    _ = await subscriber.first { $0.topic == "the/end" }
    await store.close()
    return subscriber.received.first { $0.topic == topic }
  }

  @Test func `state and discovery are retained, and the heart rate follows the events`() async throws {
    let broker = try await Broker()
    let subscriber = try await Subscriber(broker, "#")
    let publisher = try publisher(broker)
    publisher.publish([monitor(72)])
    try await running(publisher) {
      let state = await subscriber.first { $0.topic == Self.state }
      #expect(state?.json["heartRate"] as? Int == 72)
      publisher.publish([monitor(73)])
      #expect(await subscriber.first { $0.json["heartRate"] as? Int == 73 } != nil)
      let kept = try await kept(broker, Self.state)
      #expect(kept?.isRetained == true)
      #expect(kept?.json["heartRate"] as? Int == 73)
      #expect(try await self.kept(broker, Self.status)?.text == "online")
      #expect(try await self.kept(broker, Self.availability)?.text == "online")
      let configuration = try #require(try await self.kept(broker, Self.discovered)).json
      let components = configuration["components"] as? [String: [String: Any]] ?? [:]
      #expect(components["hrgate_attic_a09e1a000001_heart_rate"]?["state_topic"] as? String == Self.state)
      #expect(publisher.failure == nil)
      // The discovery configuration did not change, so it was published only once.
      #expect(subscriber.received.count { $0.topic == Self.discovered } == 1)
    }
    // A publisher that has stopped is offline, and its heart rate is removed.
    #expect(try await kept(broker, Self.status)?.text == "offline")
    #expect(try await kept(broker, Self.availability)?.text == "offline")
    #expect(try await kept(broker, Self.state)?.json["heartRate"] is NSNull)
    #expect(subscriber.received.count { $0.topic == Self.status && $0.text == "offline" } == 1)
  }

  @Test func `an outdated heart rate is removed`() async throws {
    let broker = try await Broker()
    let subscriber = try await Subscriber(broker, Self.state)
    let publisher = try publisher(broker, lifetime: .seconds(2))
    try await running(publisher) {
      // Publishes the heart rate repeatedly, until it arrives within its lifetime of 2 s.
      #expect(
        await eventually {
          publisher.publish([monitor(72)])
          return subscriber.received.contains { $0.json["heartRate"] as? Int == 72 }
        })
      #expect(await subscriber.wait { $0.last?.json["heartRate"] is NSNull })
    }
  }

  @Test func `a gateway that dies is offline and has no live values`() async throws {
    let broker = try await Broker()
    let subscriber = try await Subscriber(broker, Self.status)
    let address = try broker.address()
    let state = LiveState(address, somewhere(), states: states, lifetime: .seconds(1))
    let connection = try await BrokerConnection.open(
      .init(address: address, clientID: "gateway", keepalive: 10, will: state.will))
    _ = try await connection.publish(state.messages([monitor(72)], at: .now, Date()))
    #expect(await subscriber.first { $0.text == "online" } != nil)
    connection.abandon()
    #expect(await subscriber.first { $0.text == "offline" } != nil)
    #expect(try await kept(broker, Self.status)?.text == "offline")
    // The broker removes the retained state when its lifetime of 1 s has ended.
    #expect(await eventually { (try? await kept(broker, Self.state)) == .some(nil) })
  }

  @Test func `everything is published again when Home Assistant starts`() async throws {
    let broker = try await Broker()
    let subscriber = try await Subscriber(broker, "#")
    let publisher = try publisher(broker)
    publisher.publish([monitor(72)])
    try await running(publisher) {
      #expect(await subscriber.first { $0.topic == Self.availability } != nil)
      let assistant = try await BrokerConnection.open(
        .init(address: broker.address(), clientID: "assistant", keepalive: 10))
      _ = try await assistant.publish([Message(topic: "homeassistant/status", payload: Array("online".utf8))])
      for topic in [Self.discovered, Self.state, Self.availability, Self.status] {
        #expect(await subscriber.wait { $0.count { $0.topic == topic } >= 2 })
      }
      _ = try await assistant.publish([Message(topic: "homeassistant/status", payload: Array("offline".utf8))]
      )
      await assistant.close()
    }
    #expect(subscriber.received.count { $0.topic == Self.discovered } == 2)
  }

  @Test func `a forgotten monitor is removed, also one of an earlier run`() async throws {
    let broker = try await Broker()
    let other = "A0:9E:1A:00:00:02"
    let first = try publisher(broker)
    first.publish([monitor(72), monitor(80, address: other)])
    let before = try await Subscriber(broker, "hrgate/attic/\(other)/availability")
    try await running(first) { #expect(await before.first { $0.text == "online" } != nil) }

    // The second publisher does not get the monitor `other`, as if it was forgotten between the two runs.
    let subscriber = try await Subscriber(broker, "#")
    let second = try publisher(broker)
    second.publish([monitor(72)])
    try await running(second) {
      #expect(
        await subscriber.wait { messages in
          Self.all(other).isSubset(of: messages.filter { !$0.isRetained && $0.payload.isEmpty }.map(\.topic))
        })
      // The first monitor is forgotten while the publisher runs.
      second.publish([])
      #expect(
        await subscriber.wait { messages in
          Self.all(address).isSubset(of: messages.filter { $0.payload.isEmpty }.map(\.topic))
        })
    }
    let left = try await Subscriber(broker, "#", "the/end")
    let connection = try await BrokerConnection.open(
      .init(address: broker.address(), clientID: "end", keepalive: 10))
    _ = try await connection.publish([Message(topic: "the/end", payload: [1])])
    _ = await left.first { $0.topic == "the/end" }
    #expect(
      Set(left.received.map(\.topic)) == [
        "the/end", Self.status, "homeassistant/device/hrgate_attic/config",
      ])
  }

  @Test func `messages of an earlier run that are no longer selected are removed`() async throws {
    let broker = try await Broker()
    let other = "A0:9E:1A:00:00:02"
    let before = try await Subscriber(broker, "hrgate/attic/\(other)/availability")
    let first = try publisher(broker)
    first.publish([monitor(72), monitor(80, address: other)])
    try await running(first) { #expect(await before.first { $0.text == "online" } != nil) }

    // The destination is removed and added again, for the beat intervals of `other` only.
    let subscriber = try await Subscriber(broker, "#")
    let second = try publisher(
      broker, "?discovery=homeassistant",
      somewhere(types: [HKSeriesType.heartbeat()], sources: [source(other)]))
    second.publish([monitor(72), monitor(80, address: other)])
    try await running(second) {
      let gone = Self.all(address)
      #expect(
        await subscriber.wait { messages in
          gone.isSubset(of: messages.filter { !$0.isRetained && $0.payload.isEmpty }.map(\.topic))
        })
      let topic = "homeassistant/device/hrgate_attic_a09e1a000002/config"
      #expect(
        await subscriber.wait {
          $0.contains {
            !$0.isRetained && $0.topic == topic && !$0.text.contains("_heart_rate") && !$0.payload.isEmpty
          }
        })
      #expect(await subscriber.wait { $0.contains { !$0.isRetained && $0.text == "online" } })
    }
    #expect(!subscriber.received.contains { !$0.isRetained && $0.json["heartRate"] is Int })
  }

  private static func all(_ address: String) -> Set<String> {
    let id = "hrgate_attic_\(address.replacing(":", with: "").lowercased())"
    return [
      "hrgate/attic/\(address)/state", "hrgate/attic/\(address)/availability",
      "homeassistant/device/\(id)/config",
    ]
  }

  // MARK: - Rights

  /// Returns a broker with these access rules for the user `ada`, and a user `eve` with all rights.
  private func broker(_ rights: String..., queue: Int = 0) async throws -> (Broker, TemporaryFolder) {
    let folder = try TemporaryFolder()
    let lines = (["user ada"] + rights + ["user eve", "topic readwrite #"]).map { $0 + "\n" }.joined()
    let list = try folder.file("acl", Array(lines.utf8))
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: list)
    return (
      try await Broker(
        ["acl_file \(list)", "max_queued_messages \(queue)"], users: ["ada": "a", "eve": "e"]), folder
    )
  }

  private func publisher(asUserOf broker: Broker, _ rest: String = "?discovery=homeassistant") throws
    -> LivePublisher
  {
    LivePublisher(
      try broker.address(rest, user: "ada"), password: "a", somewhere(), states: states,
      lifetime: .seconds(3600),
      backOff: .milliseconds(2))
  }

  private func watcher(_ broker: Broker) async throws -> Subscriber {
    try await Subscriber(broker, user: "eve", password: "e", "#")
  }

  /// If the limit of the queue is 0 (unlimited), mosquitto 2.0 ends the connection after it has denied a
  /// message.
  @Test(arguments: [0, 1000])
  func `without the right to publish discovery the state is published, and it is reported`(_ queue: Int)
    async throws
  {
    let (broker, folder) = try await broker("topic readwrite hrgate/#", queue: queue)
    let subscriber = try await watcher(broker)
    let publisher = try publisher(asUserOf: broker)
    publisher.publish([monitor(72)])
    let (reports, report) = AsyncStream.makeStream(of: ExternalStoreError?.self)
    let run = Task { await publisher.run { report.yield($0) } }
    #expect(await subscriber.first { $0.topic == Self.state && $0.json["heartRate"] as? Int == 72 } != nil)
    #expect(await subscriber.first { $0.topic == Self.availability && $0.text == "online" } != nil)
    #expect(await eventually { publisher.failure != nil })
    #expect(publisher.failure?.description.contains("permit writing to homeassistant/#") == true)
    #expect(publisher.failure?.outlook == .lasting)
    for rate in 73...75 {
      publisher.publish([monitor(rate)])
      #expect(await subscriber.first { $0.json["heartRate"] as? Int == rate } != nil)
    }
    if queue > 0 {
      #expect(broker.log.components(separatedBy: "New client connected").count == 3)
    }
    // Grants the right to publish discovery, which the publisher uses at its next retry.
    try Data(
      "user ada\ntopic readwrite hrgate/#\ntopic readwrite homeassistant/#\nuser eve\ntopic readwrite #\n"
        .utf8
    )
    .write(to: URL(filePath: folder.path("acl")))
    broker.signal(SIGHUP)
    #expect(await subscriber.first { $0.topic == Self.discovered } != nil)
    #expect(await eventually { publisher.failure == nil })
    run.cancel()
    await run.value
    report.finish()
    var reported: [Bool] = []
    for await failure in reports { reported.append(failure != nil) }
    #expect(reported == [true, false])
  }

  @Test func `without the right to publish the state nothing is published, and it is reported`() async throws
  {
    let (broker, folder) = try await broker("topic readwrite homeassistant/#", "topic readwrite hrgate/ada/#")
    let publisher = try publisher(asUserOf: broker)
    publisher.publish([monitor(72)])
    try await running(publisher) { #expect(await eventually { publisher.failure != nil }) }
    let failure = publisher.failure?.description ?? ""
    #expect(failure.contains("hrgate/#") || failure.contains("hrgate/attic/status"), "\(failure)")
    #expect(publisher.failure?.outlook == .lasting)
    _ = folder
  }

  @Test func `a broker that closes the connection for discovery gets the state without it`() async throws {
    let broker = try ScriptedBroker { packet in
      switch packet.kind {
      case ScriptedBroker.Packet.connect: ScriptedBroker.accepted
      case ScriptedBroker.Packet.subscribe: [0x90, 4] + packet.body[..<2] + [0, 1]
      case ScriptedBroker.Packet.publish:
        packet.topic.hasPrefix("homeassistant/") ? nil : packet.acknowledged()
      default: []
      }
    }
    let publisher = LivePublisher(
      try MQTTAddress("mqtt://127.0.0.1:\(broker.port)/?discovery=homeassistant"), password: nil, somewhere(),
      states: states, lifetime: .seconds(3600), backOff: .seconds(1))
    publisher.publish([monitor(72)])
    try await running(publisher) {
      #expect(
        await eventually {
          publisher.failure?.description.contains("permit writing to homeassistant/#") == true
        })
      #expect(publisher.failure?.outlook == .lasting)
      publisher.publish([monitor(73)])
      #expect(
        await eventually {
          broker.packets(ScriptedBroker.Packet.publish).contains {
            $0.topic == Self.state && String(decoding: $0.body, as: UTF8.self).contains(#""heartRate":73"#)
          }
        })
      #expect(broker.packets(ScriptedBroker.Packet.connect).count >= 4)
    }
  }

  /// Some brokers end the connection of a client that publishes to a topic without permission.
  @Test func `a broker that ends the connection for discovery gets the state without it`() async throws {
    let broker = try ScriptedBroker { packet in
      switch packet.kind {
      case ScriptedBroker.Packet.connect: return ScriptedBroker.accepted
      case ScriptedBroker.Packet.subscribe: return [0x90, 4] + packet.body[..<2] + [0, 1]
      case ScriptedBroker.Packet.publish:
        // A DISCONNECT packet with the reason code 0x87 (not authorized).
        return packet.topic.hasPrefix("homeassistant/") ? [0xE0, 1, 0x87] : packet.acknowledged()
      default: return []
      }
    }
    let publisher = LivePublisher(
      try MQTTAddress("mqtt://127.0.0.1:\(broker.port)/?discovery=homeassistant"), password: nil, somewhere(),
      states: states, lifetime: .seconds(3600), backOff: .seconds(60))
    publisher.publish([monitor(72)])
    try await running(publisher) {
      #expect(
        await eventually {
          // The publisher sends the state again in a second connection, which stays open.
          broker.packets(ScriptedBroker.Packet.connect).count == 2
            && broker.packets(ScriptedBroker.Packet.publish).count { $0.topic == Self.state } == 2
        })
      #expect(publisher.failure?.outlook == .lasting)
      publisher.publish([monitor(73)])
      #expect(
        await eventually {
          broker.packets(ScriptedBroker.Packet.publish).count { $0.topic == Self.state } == 3
        })
      #expect(broker.packets(ScriptedBroker.Packet.connect).count == 2)
    }
  }

  @Test func `a broker that lost its retained messages gets them again`() async throws {
    let broker = try await Broker()
    let publisher = try publisher(broker)
    publisher.publish([monitor(72)])
    let before = try await Subscriber(broker, "#")
    try await running(publisher) {
      #expect(await before.first { $0.topic == Self.discovered } != nil)
      // The broker has no persistence, so it loses all retained messages when it crashes.
      broker.crash()
      #expect(await eventually { publisher.failure != nil })
      try await broker.start()
      #expect(await eventually { publisher.failure == nil })
      for topic in [Self.status, Self.state, Self.availability, Self.discovered] {
        #expect(await eventually { (try? await kept(broker, topic)) ?? nil != nil }, "\(topic)")
      }
    }
  }

  @Test func `configurations of earlier versions are moved to the device's configuration`() async throws {
    let broker = try await Broker()
    let id = "hrgate_attic_a09e1a000001"
    let former = [
      "homeassistant/sensor/\(id)_heart_rate/config", "homeassistant/binary_sensor/\(id)_contact/config",
      "homeassistant/binary_sensor/hrgate_attic_status/config",
    ]
    let earlier = try await BrokerConnection.open(
      .init(address: broker.address(), clientID: "earlier", keepalive: 10))
    _ = try await earlier.publish(former.map { Message(topic: $0, payload: [123, 125], isRetained: true) })
    let subscriber = try await Subscriber(broker, "homeassistant/#")
    let publisher = try publisher(broker)
    publisher.publish([monitor(72)])
    try await running(publisher) {
      #expect(
        await subscriber.wait { messages in
          Set(former).isSubset(of: messages.filter { !$0.isRetained && $0.payload.isEmpty }.map(\.topic))
        })
    }
    await earlier.close()
    // The messages for each topic have this order: the move is announced, the new configuration is published,
    // and the old one is removed.
    let live = subscriber.received.filter { !$0.isRetained }
    for topic in former {
      let device = topic.contains("status") ? "homeassistant/device/hrgate_attic/config" : Self.discovered
      let places = [
        live.firstIndex { $0.topic == topic && $0.text.contains("migrate_discovery") },
        live.firstIndex { $0.topic == device }, live.firstIndex { $0.topic == topic && $0.payload.isEmpty },
      ].compactMap(\.self)
      #expect(places.count == 3 && places == places.sorted(), "\(topic)")
    }
    #expect(Set(live.map(\.topic)).subtracting(former).count == 2, "the other entities never existed")
  }

  @Test func `only the latest state is kept while the broker is away`() async throws {
    let broker = try await Broker()
    let subscriber = try await Subscriber(broker, Self.state)
    let publisher = try publisher(broker)
    publisher.publish([monitor(72)])
    try await running(publisher) {
      #expect(await subscriber.first { $0.json["heartRate"] as? Int == 72 } != nil)
      broker.crash()
      #expect(await eventually { publisher.failure != nil })
      for heartRate in 100..<200 { publisher.publish([monitor(heartRate)]) }
      try await broker.start()
      let again = try await Subscriber(broker, Self.state)
      #expect(await again.first { $0.json["heartRate"] as? Int == 199 } != nil)
      #expect(Set(again.received.compactMap { $0.json["heartRate"] as? Int }) == [199])
      #expect(await eventually { publisher.failure == nil })
    }
  }

  @Test func `a rejected connection is reported and retried`() async throws {
    let broker = try await Broker(users: ["ada": "s3cret"])
    let publisher = try publisher(broker)
    publisher.publish([monitor(72)])
    try await running(publisher) {
      #expect(
        await eventually { publisher.failure?.description.contains("requires a user and a password") == true }
      )
    }
  }

  @Test func `samples and live state do not end each other's connections`() async throws {
    let broker = try await Broker()
    let publisher = try publisher(broker)
    publisher.publish([monitor(72)])
    let store = mqttStore(try broker.address())
    try await store.open()
    let subscriber = try await Subscriber(broker, Self.availability)
    try await running(publisher) {
      #expect(await subscriber.first { $0.text == "online" } != nil)
      let rejections = try await store.upload(page([heartRateSample(60)]))
      #expect(rejections.isEmpty)
    }
    await store.close()
    #expect(!broker.log.contains("already connected"))
  }
}
