internal import HealthDataSync

/// On which topics a gateway's live state is: `BASE/GATEWAY/status`, and `BASE/GATEWAY/ADDRESS/…` for each
/// monitor.
struct LiveTopics: Sendable {
  static let online = Array("online".utf8)
  static let offline = Array("offline".utf8)

  private let gateway: String

  init(_ address: MQTTAddress, _ identity: ExternalIdentity) {
    gateway = "\(address.base)/\(identity.gatewayLevel)"
  }

  /// Whether the gateway runs and is connected: `online` or `offline`.
  var status: String { "\(gateway)/status" }

  /// What a monitor measures and how things stand with it.
  func state(_ monitor: String) -> String { "\(gateway)/\(TopicLevel.escaped(monitor))/state" }

  /// Whether what a monitor measures comes in: `online` or `offline`.
  func availability(_ monitor: String) -> String { "\(gateway)/\(TopicLevel.escaped(monitor))/availability" }

  /// Those of all monitors that this gateway ever published and did not remove.
  var allAvailabilities: String { "\(gateway)/+/availability" }

  /// - Returns: the monitor's address, `nil` for another topic.
  func monitor(ofAvailability topic: String) -> String? {
    // By bytes, as MQTT compares topics: a name may have characters of several bytes.
    let (head, tail) = ("\(gateway)/".utf8, "/availability".utf8)
    let bytes = topic.utf8
    guard bytes.count > head.count + tail.count, bytes.starts(with: head),
      bytes.suffix(tail.count).elementsEqual(tail)
    else { return nil }
    let monitor = String(bytes.dropFirst(head.count).dropLast(tail.count))
    return monitor?.contains("/") ?? true ? nil : monitor
  }
}
