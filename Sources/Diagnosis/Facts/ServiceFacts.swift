/// What systemd tells of the gateway's service.
public enum ServiceFacts: Hashable, Sendable {
  /// No systemd, or it does not answer.
  case unknown
  /// The units, by name, with the state that systemd gives each: `active`, `failed`, `inactive`.
  case units([String: String])
}
