internal import HealthDataSync

/// The topics of a gateway's live state: `BASE/GATEWAY/status`, and `BASE/GATEWAY/ADDRESS/…` for each
/// monitor.
struct LiveTopics: Sendable {
  static let online = Array("online".utf8)
  static let offline = Array("offline".utf8)

  private let gateway: String

  init(_ address: MQTTAddress, _ identity: ExternalIdentity) {
    gateway = "\(address.base)/\(identity.gatewayLevel)"
  }

  /// The topic that says whether the gateway is connected: `online` or `offline`.
  var status: String { "\(gateway)/status" }

  /// Returns the topic of a monitor's measurements and state.
  func state(_ monitor: String) -> String { "\(gateway)/\(TopicLevel.escaped(monitor))/state" }

  /// Returns the topic that says whether a monitor's measurements arrive: `online` or `offline`.
  func availability(_ monitor: String) -> String { "\(gateway)/\(TopicLevel.escaped(monitor))/availability" }

  /// The filter for all monitors that this gateway ever published and did not remove.
  var allAvailabilities: String { "\(gateway)/+/availability" }

  /// Returns the monitor's address in an availability topic.
  ///
  /// - Returns: `nil` for any other topic.
  func monitor(ofAvailability topic: String) -> String? {
    // Compare bytes, as MQTT does, because a name may contain characters with several bytes.
    let (head, tail) = ("\(gateway)/".utf8, "/availability".utf8)
    let bytes = topic.utf8
    guard bytes.count > head.count + tail.count, bytes.starts(with: head),
      bytes.suffix(tail.count).elementsEqual(tail)
    else { return nil }
    let monitor = String(bytes.dropFirst(head.count).dropLast(tail.count))
    return monitor?.contains("/") ?? true ? nil : monitor
  }
}

extension ExternalIdentity {
  /// The topic level of the gateway: its readable name, and a part of its identity that distinguishes
  /// gateways with the same name.
  var gatewayLevel: String {
    let name = TopicLevel.escaped(gateway)
    return gatewayID.map { "\(name)-\(TopicLevel.escaped(String($0.prefix(12))))" } ?? name
  }
}
