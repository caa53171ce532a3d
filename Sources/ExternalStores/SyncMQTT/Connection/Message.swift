internal import CMosquitto

/// A message to publish. It has QoS 1, so the broker acknowledges it.
struct Message: Hashable, Sendable {
  var topic: String
  var payload: [UInt8]
  /// Whether the broker retains the message: it sends the last message on a topic to each new subscriber. An
  /// empty payload deletes the retained message.
  var isRetained = false
  /// The time in seconds after which the broker discards the message (MQTT 5.0, section 3.3.2.3.3).
  var expiry: UInt32?

  /// Whether the message fits into a packet: a topic has at most 65,535 bytes, and a packet at most
  /// 268,435,455 bytes after its header.
  var isPossible: Bool { topic.utf8.count <= 65_535 && remainingLength <= 268_435_455 }

  /// The number of bytes in the PUBLISH packet including its header (MQTT 5.0, section 3.3). Brokers limit
  /// this number.
  var packetSize: Int { 1 + Self.variableBytes(remainingLength) + remainingLength }

  private var remainingLength: Int {
    let properties = expiry == nil ? 0 : 5
    return 2 + topic.utf8.count + 2 + Self.variableBytes(properties) + properties + payload.count
  }

  /// Returns the number of bytes in a variable byte integer (section 1.5.5).
  private static func variableBytes(_ value: Int) -> Int {
    switch value {
    case ..<128: 1
    case ..<16_384: 2
    case ..<2_097_152: 3
    default: 4
    }
  }
}

/// A message received for a subscription.
struct ReceivedMessage: Hashable, Sendable {
  var topic: String
  var payload: [UInt8]
  /// Whether the broker had retained the message before the subscription.
  var isRetained: Bool
}

/// A broker's response to a packet (MQTT 5.0, section 2.4). Codes below 0x80 mean success.
struct ReasonCode: RawRepresentable, Hashable, Sendable {
  let rawValue: UInt8

  init(rawValue: UInt8) { self.rawValue = rawValue }

  private init(_ code: mqtt5_return_codes) { rawValue = UInt8(truncatingIfNeeded: code.rawValue) }

  var isFailure: Bool { rawValue >= 0x80 }

  static let success = ReasonCode(MQTT_RC_SUCCESS)
  static let unsupportedProtocolVersion = ReasonCode(MQTT_RC_UNSUPPORTED_PROTOCOL_VERSION)
  static let clientIDNotValid = ReasonCode(MQTT_RC_CLIENTID_NOT_VALID)
  static let badUserNameOrPassword = ReasonCode(MQTT_RC_BAD_USERNAME_OR_PASSWORD)
  static let notAuthorized = ReasonCode(MQTT_RC_NOT_AUTHORIZED)
  static let banned = ReasonCode(MQTT_RC_BANNED)
  static let sessionTakenOver = ReasonCode(MQTT_RC_SESSION_TAKEN_OVER)
  static let topicNameInvalid = ReasonCode(MQTT_RC_TOPIC_NAME_INVALID)
  static let packetTooLarge = ReasonCode(MQTT_RC_PACKET_TOO_LARGE)
  static let quotaExceeded = ReasonCode(MQTT_RC_QUOTA_EXCEEDED)
  static let payloadFormatInvalid = ReasonCode(MQTT_RC_PAYLOAD_FORMAT_INVALID)
  static let retainNotSupported = ReasonCode(MQTT_RC_RETAIN_NOT_SUPPORTED)
  static let qosNotSupported = ReasonCode(MQTT_RC_QOS_NOT_SUPPORTED)
  static let useAnotherServer = ReasonCode(MQTT_RC_USE_ANOTHER_SERVER)
  static let serverMoved = ReasonCode(MQTT_RC_SERVER_MOVED)

  /// The name of the code in the specification.
  var name: String { String(cString: mosquitto_reason_string(Int32(rawValue))) }
}
