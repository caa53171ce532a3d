internal import HealthDataSync

/// What a broker knows a connection by (MQTT 5.0, section 3.1.3.1): always the same for the same gateway,
/// person and destination, so that a connection which the broker still believes in is ended by its successor.
enum ClientID {
  static func samples(_ identity: ExternalIdentity, destination: String) -> String {
    id([identity.gatewayKey, identity.person, destination])
  }

  /// Of its own, since two connections with one ID end each other.
  static func live(_ identity: ExternalIdentity, destination: String) -> String {
    id([identity.gatewayKey, identity.person, destination, "live"])
  }

  private static func id(_ parts: [String]) -> String {
    (["hrgate"] + parts.map(ObjectID.escaped)).joined(separator: ".")
  }
}
