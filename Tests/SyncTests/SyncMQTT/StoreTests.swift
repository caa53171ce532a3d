import Foundation
import HealthDataSync
import HealthKit
import Synchronization
import Testing

@testable import ExternalStores
@testable import TestSupport

/// Tests samples and deletions with a real mosquitto.
@Suite(.enabled(if: Broker.isInstalled), .timeLimit(.minutes(30))) struct StoreTests {
  @Test func `each sample arrives once with all of its fields`() async throws {
    let broker = try await Broker()
    let subscriber = try await Subscriber(broker, "hrgate/#")
    let health = try HKHealthStore.unnamed().acting(
      as: HKSource(name: "Ada’s strap", bundleIdentifier: "org.hrgate.monitor.A0:9E:1A:00:00:01"))
    let samples = (0..<600).map { number in
      heartRateSample(
        60 + Double(number) / 7, Double(number),
        metadata: number.isMultiple(of: 2)
          ? nil : [HKMetadataKeyHeartRateSensorLocation: 1, "note": "a/b+#\u{0}ü"])
    }
    try await health.save(samples)
    let stored = try await health.changes().samples

    let store = mqttStore(try broker.address())
    try await store.open()
    #expect(try await store.upload(page(stored)).isEmpty)
    let messages = await subscriber.messages(600)
    #expect(messages.count == 600)
    let byUUID = Dictionary(grouping: messages) { $0.json["uuid"] as? String ?? "" }
    for sample in stored.compactMap({ $0 as? HKQuantitySample }) {
      let message = try #require(byUUID[sample.uuid.uuidString]?.first)
      #expect(byUUID[sample.uuid.uuidString]?.count == 1)
      #expect(
        message.topic
          == "hrgate/ada/org.hrgate.monitor.A0:9E:1A:00:00:01/HKQuantityTypeIdentifierHeartRate")
      #expect(!message.isRetained)
      let json = message.json
      // Reads the number from the text, because JSONSerialization does not parse all numbers exactly.
      let value = try #require(message.text.firstMatch(of: #/"value":([0-9.]+)/#)?.output.1)
      #expect(Double(value) == sample.quantity.doubleValue(for: perMinute))
      #expect(json["unit"] as? String == "count/min")
      #expect(json["start"] as? String == Timestamp.text(sample.startDate))
      #expect(json["end"] as? String == Timestamp.text(sample.endDate))
      #expect(json["type"] as? String == "HKQuantityTypeIdentifierHeartRate")
      #expect(json["person"] as? String == "ada")
      #expect(json["gateway"] as? String == "attic")
      let source = try #require(json["source"] as? [String: String])
      #expect(source["name"] == "Ada’s strap")
      #expect(source["bundleIdentifier"] == "org.hrgate.monitor.A0:9E:1A:00:00:01")
      let metadata = try #require(json["metadata"] as? [String: Any])
      #expect(metadata["note"] as? String == sample.metadata?["note"] as? String)
      #expect(
        metadata[HKMetadataKeyHeartRateSensorLocation] as? Int
          == sample.metadata?[HKMetadataKeyHeartRateSensorLocation] as? Int)
    }
    #expect(messages.first?.json["start"] as? String == "2025-11-13T02:13:20.123456Z")
    await store.close()
  }

  @Test func `deletions are published first, on their own topic`() async throws {
    let broker = try await Broker()
    let subscriber = try await Subscriber(broker, "base/#")
    let health = try HKHealthStore.inMemory()
    let (gone, kept) = (heartRateSample(61), heartRateSample(62, 1))
    try await health.save([gone, kept])
    try await health.delete(gone)
    let changes = try await health.changes()

    let store = mqttStore(try broker.address("base"))
    try await store.open()
    #expect(try await store.upload(page(changes.samples, deleted: changes.deleted)).isEmpty)
    let messages = await subscriber.messages(2)
    #expect(messages.map { $0.json["uuid"] as? String } == [gone.uuid.uuidString, kept.uuid.uuidString])
    #expect(messages[0].topic == "base/ada/deleted/HKQuantityTypeIdentifierHeartRate")
    #expect(messages[0].json["deleted"] as? Bool == true)
    await store.close()
  }

  @Test func `the message of a sample contains its beats or quantities`() throws {
    let beats = ExternalRecord(
      sample: heartRateSample(60),
      series: .heartbeats([
        .init(timeSinceStart: 0, precededByGap: false), .init(timeSinceStart: 0.8125, precededByGap: true),
      ]))
    let bytes = try JSONLine.bytes(SampleMessage(beats, identity))
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(
      text.contains(#""beats":[{"offset":0,"precededByGap":false},{"offset":0.8125,"precededByGap":true}]"#))
    let series = ExternalRecord(
      sample: heartRateSample(60),
      series: .quantities([.init(value: 61.5, interval: DateInterval(start: moment, duration: 1))]))
    let other = String(decoding: try JSONLine.bytes(SampleMessage(series, identity)), as: UTF8.self)
    #expect(
      other.contains(
        #""series":[{"end":"2025-11-13T02:13:21.123456Z","start":"2025-11-13T02:13:20.123456Z","value":61.5}]"#
      ))
    #expect(!other.contains("quantities"))
  }

  @Test func `metadata of each kind is published with its value`() throws {
    let sample = heartRateSample(
      60,
      metadata: [
        "text": "a", "yes": true, "count": 3, "ratio": 0.5, "date": moment,
        "quantity": HKQuantity(unit: .meter(), doubleValue: 2),
      ])
    let bytes = try JSONLine.bytes(SampleMessage(ExternalRecord(sample: sample), identity))
    let json = String(decoding: bytes, as: UTF8.self)
    for part in [
      #""text":"a""#, #""yes":true"#, #""count":3"#, #""ratio":0.5"#,
      #""date":"2025-11-13T02:13:20.123456Z""#,
      #""quantity":{"unit":"m","value":2}"#,
    ] {
      #expect(json.contains(part))
    }
  }

  @Test func `a message above the broker's limit is refused, and the others arrive`() async throws {
    let broker = try await Broker(["max_packet_size 2000"])
    let subscriber = try await Subscriber(broker, "hrgate/#")
    let large = heartRateSample(61, 1, metadata: ["note": String(repeating: "x", count: 3000)])
    let store = mqttStore(try broker.address())
    try await store.open()
    let rejections = try await store.upload(page([heartRateSample(60), large, heartRateSample(62, 2)]))
    #expect(rejections.map(\.uuid) == [large.uuid])
    #expect(rejections.first?.reason.contains("larger than the broker allows") == true)
    #expect(await subscriber.messages(2).map { $0.json["value"] as? Double } == [60, 62])
    await store.close()
  }

  @Test func `a message of the broker's maximum size arrives, and one byte more is refused`()
    async throws
  {
    let sample = heartRateSample(60)
    let topics = SampleTopics(try MQTTAddress("mqtt://localhost"), identity)
    let source = sample.sourceRevision.source.bundleIdentifier
    let size = Message(
      topic: topics.sample(type: pulse.identifier, source: source),
      payload: try JSONLine.bytes(SampleMessage(.init(sample: sample), identity))
    ).packetSize
    for (limit, isTaken) in [(size, true), (size - 1, false)] {
      let broker = try await Broker(["max_packet_size \(limit)"])
      let store = mqttStore(try broker.address())
      try await store.open()
      #expect(try await store.upload(page([sample])).isEmpty == isTaken)
      #expect(broker.log.contains("r0, m1, 'hrgate/ada") == false)
      await store.close()
    }
  }

  @Test func `a page waits while the broker is stopped, and is sent when it continues`() async throws {
    let broker = try await Broker()
    let store = mqttStore(try broker.address())
    try await store.open()
    let order = Mutex<[String]>([])
    broker.signal(SIGSTOP)
    async let carried: Void = {
      _ = try await store.upload(page((0..<1000).map { heartRateSample(60, Double($0)) }))
      order.withLock { $0.append("carried") }
    }()
    #expect(await eventually { broker.hasUnread })
    order.withLock { $0.append("went on") }
    broker.signal(SIGCONT)
    try await carried
    #expect(order.withLock(\.self) == ["went on", "carried"])
    await store.close()
  }

  @Test func `a broker that dies during a page is a passing failure, and the page is repeated`() async throws
  {
    let broker = try await Broker()
    let store = mqttStore(try broker.address())
    try await store.open()
    broker.signal(SIGSTOP)
    let samples = (0..<1000).map { heartRateSample(60, Double($0)) }
    async let failed = failure { _ = try await store.upload(page(samples)) }
    #expect(await eventually { broker.hasUnread })
    broker.crash()
    let error = await failed
    #expect(error?.outlook == .passing)
    let again = await failure { _ = try await store.upload(page(samples)) }
    #expect(again?.outlook == .passing)
    let absent = await failure { try await store.open() }
    #expect(absent?.description.contains("no server listens at 127.0.0.1:\(broker.port)") == true)
    #expect(absent?.outlook == .passing)

    try await broker.start()
    let subscriber = try await Subscriber(broker, "hrgate/#")
    try await store.open()
    #expect(try await store.upload(page(samples)).isEmpty)
    let uuids = await subscriber.messages(1000).compactMap { $0.json["uuid"] as? String }
    #expect(uuids == samples.map(\.uuid.uuidString))
    await store.close()
  }

  @Test func `an empty page and a store that is not open`() async throws {
    let broker = try await Broker()
    let store = mqttStore(try broker.address())
    await store.close()
    let closed = await failure { _ = try await store.upload(page([])) }
    #expect(closed?.outlook == .passing)
    try await store.open()
    try await store.open()
    #expect(try await store.upload(page([])).isEmpty)
    await store.close()
    await store.close()
    #expect(await eventually { broker.log.contains("disconnected.") })
  }

  @Test func `cancelling ends the wait, and the store can be opened again`() async throws {
    let broker = try await Broker()
    let store = mqttStore(try broker.address())
    try await store.open()
    broker.signal(SIGSTOP)
    let carrying = Task { try await store.upload(page((0..<300).map { heartRateSample(60, Double($0)) })) }
    #expect(await eventually { broker.hasUnread })
    carrying.cancel()
    await #expect(throws: CancellationError.self) { try await carrying.value }
    broker.signal(SIGCONT)
    try await store.open()
    #expect(try await store.upload(page([heartRateSample(60)])).isEmpty)
    await store.close()
  }
}
