internal import CMosquitto

/// What a broker says of a packet (MQTT 5.0, section 2.4). Those below 0x80 are good news.
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

  /// The specification's name for it.
  var name: String { String(cString: mosquitto_reason_string(Int32(rawValue))) }
}
