/// What systemd tells of the gateway's service.
public enum ServiceFacts: Hashable, Sendable {
  /// No systemd, or it does not answer.
  case unknown
  /// The user's units, by name: the machine's, and that of their own manager. With the
  /// state of each: `active`, `failed`, `inactive`.
  case units([String: String])
}
