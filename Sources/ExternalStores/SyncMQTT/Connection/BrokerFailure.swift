internal import CMosquitto
internal import Glibc
internal import HealthDataSync

/// Creates the errors of connections to a broker, with messages for the user. They contain no password and no
/// health values.
enum BrokerFailure {
  /// Returns the error for a failed connection attempt.
  ///
  /// - Parameters:
  ///   - code: The error code of libmosquitto.
  ///   - errno: The value of `errno` directly after the call.
  ///   - log: The latest error lines of libmosquitto.
  static func unreachable(_ address: MQTTAddress, code: mosq_err_t, errno: Int32, log: [String])
    -> ExternalStoreError
  {
    switch code {
    case MOSQ_ERR_EAI, MOSQ_ERR_LOOKUP:
      passing("the host name \(address.host) cannot be resolved: check the name and the network")
    case MOSQ_ERR_TLS, MOSQ_ERR_TLS_HANDSHAKE: tls(address, log)
    // A rejected certificate may leave the error of an earlier attempt with the other IP version.
    case MOSQ_ERR_ERRNO where isCertificate(log): tls(address, log)
    case MOSQ_ERR_ERRNO where errno == ECONNREFUSED:
      passing("no server listens at \(address.hostAndPort): start the broker, or correct the address")
    case MOSQ_ERR_ERRNO where isTLS(log): tls(address, log)
    // The peer closed the connection before reading all data, which TCP reports as a reset (RFC 9293, section
    // 3.10.4).
    case MOSQ_ERR_ERRNO where errno == ECONNRESET || errno == EPIPE: dropped(address)
    case MOSQ_ERR_ERRNO: unreachable(address, text(errno))
    case MOSQ_ERR_KEEPALIVE, MOSQ_ERR_TIMEOUT: speechless(address)
    case MOSQ_ERR_PROTOCOL, MOSQ_ERR_MALFORMED_PACKET:
      lasting(
        "the server at \(address.hostAndPort) does not support MQTT 5: correct the address, or update a broker that supports "
          + "only MQTT 3.1.1")
    case MOSQ_ERR_CONN_LOST: dropped(address)
    default: unreachable(address, text(code))
    }
  }

  /// Returns the error for a connection that the peer closed without a response. The cause may be a restart,
  /// a mismatch of TLS, or a broker without MQTT 5, which cannot be distinguished here.
  private static func dropped(_ address: MQTTAddress) -> ExternalStoreError {
    passing(
      "\(address.hostAndPort) closed the connection without a response"
        + (address.usesTLS
          ? ": if this port does not use TLS, use the TLS port, usually 8883"
          : ": if it expects TLS, use mqtts://")
        + "; if the broker supports only MQTT 3.1.1, update it")
  }

  private static func unreachable(_ address: MQTTAddress, _ cause: String) -> ExternalStoreError {
    passing(
      "the broker at \(address.hostAndPort) cannot be reached (\(cause)): check the address and the network")
  }

  /// Returns the error for a connection that the broker refused (MQTT 5.0, section 3.2.2.2). Brokers that do
  /// not support MQTT 5 use codes below 0x80.
  ///
  /// - Parameter will: The topic of the will. The user must be allowed to publish to it.
  static func refused(
    _ address: MQTTAddress, _ code: Int32, _ name: String, will: String? = nil
  ) -> ExternalStoreError {
    let reason = ReasonCode(rawValue: UInt8(truncatingIfNeeded: code))
    let hostAndPort = address.hostAndPort
    switch reason {
    case .unsupportedProtocolVersion, ReasonCode(rawValue: 1):
      return lasting(
        "the broker at \(hostAndPort) supports only MQTT 3.1.1 or older; hrgate needs the error codes of MQTT 5: "
          + "update it (mosquitto supports MQTT 5 since 1.6)")
    case .badUserNameOrPassword, .notAuthorized, ReasonCode(rawValue: 4), ReasonCode(rawValue: 5):
      guard let user = address.user else {
        return lasting(
          "the broker at \(hostAndPort) requires a user and a password: put USER@ before the host, and add a file with the password"
        )
      }
      let right = will.map { ", and that the user may write to \($0)" } ?? ""
      return lasting(
        "the broker at \(hostAndPort) rejects \(user): check the user and the password\(right)")
    case .banned: return lasting("the broker at \(hostAndPort) has banned this client: ask its administrator")
    case .clientIDNotValid:
      return lasting(
        "the broker at \(hostAndPort) rejects the client ID \(name): shorten the name of the person or the destination"
      )
    case .useAnotherServer, .serverMoved:
      return lasting("the broker at \(hostAndPort) has moved: add the destination with its new address")
    case .retainNotSupported, .qosNotSupported: return incapable(address)
    default:
      return passing(
        "the broker at \(hostAndPort) accepts no connections now (\(reason.name)): see its log")
    }
  }

  /// Returns the error for a connection that was lost after the broker accepted it.
  static func lost(_ address: MQTTAddress, code: Int32, errno: Int32, _ name: String) -> ExternalStoreError {
    let hostAndPort = address.hostAndPort
    guard code >= 0x80 else {
      switch mosq_err_t(code) {
      case MOSQ_ERR_KEEPALIVE, MOSQ_ERR_TIMEOUT: return silent(address)
      case MOSQ_ERR_ERRNO: return lost(address, text(errno))
      default: return lost(address)
      }
    }
    let reason = ReasonCode(rawValue: UInt8(truncatingIfNeeded: code))
    switch reason {
    case .sessionTakenOver:
      return lasting(
        "another client connected to the broker at \(hostAndPort) as \(name): this gateway or a copy of its store runs twice. Stop one of them"
      )
    case .packetTooLarge:
      return lasting(
        "the broker at \(hostAndPort) rejects a message as too large without having announced a limit: raise its limit"
      )
    case .notAuthorized:
      return lasting("the broker at \(hostAndPort) does not permit publishing: give the user write access")
    case .useAnotherServer, .serverMoved:
      return lasting("the broker at \(hostAndPort) has moved: add the destination with its new address")
    case .retainNotSupported, .qosNotSupported: return incapable(address)
    default:
      return passing("the broker at \(hostAndPort) closed the connection (\(reason.name)): see its log")
    }
  }

  private static func lost(_ address: MQTTAddress, _ cause: String? = nil) -> ExternalStoreError {
    passing(
      "the connection to the broker at \(address.hostAndPort) was lost\(cause.map { " (\($0))" } ?? ""): check the network and the broker"
    )
  }

  /// Returns the error for a message that the broker refused (section 3.4.2.1) for a reason that also applies
  /// to other messages.
  static func untaken(_ address: MQTTAddress, _ reason: ReasonCode, topic: String) -> ExternalStoreError {
    switch reason {
    case .notAuthorized:
      let user = address.user ?? "this client"
      if let prefix = address.discoveryPrefix, !topic.hasPrefix("\(address.base)/") {
        return lasting(
          "the broker at \(address.hostAndPort) does not permit \(user) to publish discovery messages for Home Assistant: "
            + "permit writing to \(prefix)/#, or remove discovery= from the address")
      }
      return lasting(
        "the broker at \(address.hostAndPort) does not permit \(user) to publish \(topic): permit writing to \(address.base)/#"
      )
    case .quotaExceeded:
      return passing(
        "a quota of the broker at \(address.hostAndPort) is exceeded: raise it, or publish less there")
    default:
      return passing(
        "the broker at \(address.hostAndPort) rejected a message (\(reason.name)): see its log")
    }
  }

  /// Returns the error for a broker that closes the connection without a reason whenever discovery messages
  /// are published.
  static func discoveryEndsConnection(_ address: MQTTAddress) -> ExternalStoreError {
    let prefix = address.discoveryPrefix ?? ""
    return lasting(
      "the broker at \(address.hostAndPort) closes the connection when discovery messages for Home Assistant are "
        + "published: permit writing to \(prefix)/#, or remove discovery= from the address")
  }

  /// The error that is thrown if libmosquitto cannot be initialized or cannot create a client.
  static let noMemory = passing(
    "there is not enough memory for a connection: check the memory use of this computer")

  /// Returns the error for a peer that accepts the TCP connection but never responds to CONNECT.
  static func speechless(_ address: MQTTAddress) -> ExternalStoreError {
    passing(
      "the server at \(address.hostAndPort) accepts connections but does not respond: restart the broker, or correct the address"
    )
  }

  /// Returns the error for an option that libmosquitto rejected before connecting.
  static func unprepared(_ code: Int32) -> ExternalStoreError {
    lasting(
      "libmosquitto does not support a required option: update libmosquitto1 (\(text(mosq_err_t(code))))")
  }

  static let noAuthority = lasting(
    "the file of ca= contains no CA certificates: give a readable file in PEM format")

  /// The error for a connection that this program closed.
  static let closed = passing("the connection to the broker was closed")

  // MARK: - TLS

  private static func isCertificate(_ log: [String]) -> Bool {
    log.contains { $0.contains("certificate verify failed") || $0.contains("host name verification failed") }
  }

  private static func isTLS(_ log: [String]) -> Bool { log.contains { $0.contains("OpenSSL Error") } }

  private static func tls(_ address: MQTTAddress, _ log: [String]) -> ExternalStoreError {
    let hostAndPort = address.hostAndPort
    if log.contains(where: { $0.contains("Unable to load CA") }) { return noAuthority }
    if log.contains(where: { $0.contains("host name verification failed") }) {
      return lasting(
        "the certificate of the broker at \(hostAndPort) is for another host name: use the name in the certificate"
      )
    }
    if log.contains(where: { $0.contains("certificate verify failed") }) {
      return lasting(
        "the certificate of the broker at \(hostAndPort) is not trusted here or not valid now: give the CA with ca=FILE, and check the clock"
      )
    }
    // OpenSSL's messages for a server that does not use TLS.
    let foreign = ["wrong version number", "packet length too long", "unexpected eof"]
    if log.contains(where: { line in foreign.contains(where: line.contains) }) {
      return lasting("\(hostAndPort) does not use TLS: use the TLS port, usually 8883")
    }
    // The last part of OpenSSL's log line is the reason.
    let detail =
      log.last { $0.contains("OpenSSL Error") }?.split(separator: ":").last.map { " (\($0))" } ?? ""
    return lasting(
      "the TLS connection to the broker at \(hostAndPort) failed\(detail): check the broker's log and certificate"
    )
  }

  private static func silent(_ address: MQTTAddress) -> ExternalStoreError {
    passing(
      "the broker at \(address.hostAndPort) does not respond: check the network and the broker")
  }

  private static func incapable(_ address: MQTTAddress) -> ExternalStoreError {
    lasting(
      "the broker at \(address.hostAndPort) does not permit QoS 1 or retained messages: permit both there")
  }

  private static func text(_ errno: Int32) -> String { String(cString: strerror(errno)) }

  private static func text(_ code: mosq_err_t) -> String {
    String(cString: mosquitto_strerror(code.rawValue))
  }

  private static func passing(_ sentence: String) -> ExternalStoreError {
    ExternalStoreError(sentence, outlook: .passing)
  }

  private static func lasting(_ sentence: String) -> ExternalStoreError {
    ExternalStoreError(sentence, outlook: .lasting)
  }
}
