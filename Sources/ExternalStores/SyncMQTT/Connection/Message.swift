/// What is published: always with QoS 1, so that the broker says that it has it.
struct Message: Hashable, Sendable {
  var topic: String
  var payload: [UInt8]
  /// Whether the broker keeps it, as the last of its topic, for whoever subscribes later. Without a payload
  /// it removes what is kept.
  var isRetained = false
  /// After so many seconds the broker no longer gives it to anybody (MQTT 5.0, section 3.3.2.3.3).
  var expiry: UInt32?

  /// Whether MQTT can carry it at all: a topic has at most 65,535 bytes, a packet 268,435,455 after its
  /// header.
  var isPossible: Bool { topic.utf8.count <= 65_535 && remainingLength <= 268_435_455 }

  /// How many bytes the PUBLISH packet has, header included (MQTT 5.0, section 3.3): what a broker's limit is
  /// for.
  var packetSize: Int { 1 + Self.variableBytes(remainingLength) + remainingLength }

  private var remainingLength: Int {
    let properties = expiry == nil ? 0 : 5
    return 2 + topic.utf8.count + 2 + Self.variableBytes(properties) + properties + payload.count
  }

  /// How many bytes a variable byte integer has (section 1.5.5).
  private static func variableBytes(_ value: Int) -> Int {
    switch value {
    case ..<128: 1
    case ..<16_384: 2
    case ..<2_097_152: 3
    default: 4
    }
  }
}

/// What the broker sent for a subscription.
struct ReceivedMessage: Hashable, Sendable {
  var topic: String
  var payload: [UInt8]
  /// It was kept from before the subscription.
  var isRetained: Bool
}
