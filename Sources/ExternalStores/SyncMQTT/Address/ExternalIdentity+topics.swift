internal import HealthDataSync

extension ExternalIdentity {
  /// The gateway's level of a topic: its name, for whoever reads it, and so much of its identity that two
  /// gateways of one name have different ones.
  var gatewayLevel: String {
    let name = TopicLevel.escaped(gateway)
    return gatewayID.map { "\(name)-\(TopicLevel.escaped(String($0.prefix(12))))" } ?? name
  }
}
