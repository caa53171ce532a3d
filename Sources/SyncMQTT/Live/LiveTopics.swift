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
    guard topic.hasPrefix("\(gateway)/"), topic.hasSuffix("/availability") else { return nil }
    let monitor = topic.dropFirst(gateway.utf8.count + 1).dropLast("/availability".utf8.count)
    return monitor.isEmpty || monitor.contains("/") ? nil : String(monitor)
  }
}
