import HealthDataSync
import Testing

@testable import ExternalStores

@Suite struct TopicTests {
  private static let hostile = [
    "", "%", "+", "#", "/", "a/b", "a+b", "a%2Fb", "a\u{0}b", "a\nb", "\u{7f}", "\u{85}", "\u{1fffe}",
    "\u{10ffff}", "deleted", "%64eleted", "Ada’s strap", "🫀", ".", "..", "-", "_", " ",
  ]

  @Test(arguments: hostile)
  func `any text is one level of a topic`(_ text: String) {
    let level = TopicLevel.escaped(text)
    #expect(!level.isEmpty)
    #expect(!level.contains { "/+#".contains($0) })
    #expect(!level.unicodeScalars.contains { $0.properties.generalCategory == .control })
    #expect(!level.unicodeScalars.contains { $0.properties.isNoncharacterCodePoint })
  }

  @Test func `different texts are different levels, and ordinary ones are unchanged`() {
    #expect(Set(Self.hostile.map(TopicLevel.escaped)).count == Self.hostile.count)
    #expect(Set(Self.hostile.map(ObjectID.escaped)).count == Self.hostile.count)
    for text in ["org.hrgate.monitor.A0:9E:1A:00:00:01", "Ada’s strap", "HKQuantityTypeIdentifierHeartRate"] {
      #expect(TopicLevel.escaped(text) == text)
    }
    #expect(TopicLevel.escaped("a/b+c#d%e\u{0}") == "a%2Fb%2Bc%23d%25e%00")
  }

  @Test(arguments: hostile)
  func `any text can be part of a Home Assistant ID`(_ text: String) {
    let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
    #expect(ObjectID.escaped(text).allSatisfy(allowed.contains))
  }

  @Test func `a source named deleted has another topic than deletions`() throws {
    let topics = SampleTopics(try MQTTAddress("mqtt://localhost/base"), identity)
    #expect(topics.deletion(type: "T") == "base/ada/deleted/T")
    #expect(topics.sample(type: "T", source: "deleted") == "base/ada/%64eleted/T")
    #expect(topics.sample(type: "T", source: "%64eleted") == "base/ada/%2564eleted/T")
  }

  @Test func `two gateways with one name have different topics, IDs and connections`() throws {
    let gateways = ["0a1b2c3d4e5f60718293a4b5c6d7e8f9", "ffffffffffff60718293a4b5c6d7e8f9"].map {
      ExternalIdentity(person: "ada", gateway: "raspberrypi", gatewayID: $0)
    }
    let messages = try gateways.map { identity in
      LiveState(
        try MQTTAddress("mqtt://localhost/?discovery=homeassistant"), somewhere(identity: identity),
        states: states, lifetime: .seconds(10)
      ).messages([monitor()], at: .now, moment)
    }
    let topics = messages.map { Set($0.map(\.topic)) }
    #expect(topics[0].isDisjoint(with: topics[1]))
    #expect(topics[0].contains("hrgate/raspberrypi-0a1b2c3d4e5f/status"))
    let ids = messages.map { messages in
      Set(
        messages.flatMap { message -> [String] in
          let json = ReceivedMessage(topic: message.topic, payload: message.payload, isRetained: true).json
          return (json["components"] as? [String: [String: Any]] ?? [:]).values.compactMap {
            $0["unique_id"] as? String
          }
        })
    }
    #expect(ids[0].count == 6 && ids[0].isDisjoint(with: ids[1]))
    let clients = gateways.flatMap {
      [ClientID.samples($0, destination: "home"), ClientID.live($0, destination: "home")]
    }
    #expect(Set(clients).count == 4)
  }

  @Test func `the monitor of an availability topic is found`() throws {
    let topics = LiveTopics(try MQTTAddress("mqtt://localhost/base"), identity)
    #expect(topics.monitor(ofAvailability: topics.availability("A0:9E:1A:00:00:01")) == "A0:9E:1A:00:00:01")
    for topic in [
      "base/attic/status", "base/attic//availability", "base/attic/a/b/availability",
      "x/attic/a/availability",
    ] {
      #expect(topics.monitor(ofAvailability: topic) == nil)
    }
  }
}
