internal import HealthDataSync

/// The topics of a gateway's live state: `BASE/GATEWAY/status` for the gateway, and `BASE/GATEWAY/ADDRESS/…`
/// for each monitor.
struct LiveTopics: Sendable {
  static let online = Array("online".utf8)
  static let offline = Array("offline".utf8)

  private let gateway: String

  init(_ address: MQTTAddress, _ identity: ExternalIdentity) {
    gateway = "\(address.base)/\(identity.gatewayLevel)"
  }

  /// The topic with the payload `online` or `offline`, depending on whether the gateway is connected.
  var status: String { "\(gateway)/status" }

  /// Returns the topic with a monitor's measurements and connection state.
  func state(_ monitor: String) -> String { "\(gateway)/\(TopicLevel.escaped(monitor))/state" }

  /// Returns the topic with the payload `online` or `offline`, depending on whether measurements from a
  /// monitor are arriving.
  func availability(_ monitor: String) -> String { "\(gateway)/\(TopicLevel.escaped(monitor))/availability" }

  /// The filter that matches the availability topics of all monitors.
  var allAvailabilities: String { "\(gateway)/+/availability" }

  /// Returns the monitor's address in an availability topic.
  ///
  /// - Returns: `nil` for any other topic.
  func monitor(ofAvailability topic: String) -> String? {
    // Compare the UTF-8 bytes, as MQTT does. Comparing Swift characters would treat different bytes as equal.
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
  /// The topic level of the gateway: its name, and a part of its ID that distinguishes gateways with the same
  /// name.
  var gatewayLevel: String {
    let name = TopicLevel.escaped(gateway)
    return gatewayID.map { "\(name)-\(TopicLevel.escaped(String($0.prefix(12))))" } ?? name
  }
}
