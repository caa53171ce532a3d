/// What systemd reports about the gateway's service.
public enum ServiceFacts: Hashable, Sendable {
  public struct Unit: Hashable, Sendable {
    /// The active state: `active`, `failed`, `inactive` …
    public var state: String
    public var isEnabled: Bool

    public init(_ state: String, isEnabled: Bool = false) {
      self.state = state
      self.isEnabled = isEnabled
    }
  }

  /// There is no systemd, or it does not answer.
  case unknown
  /// The units that are installed and can run this user's gateway, by name: the system's, and that of the user's
  /// own manager.
  case units([String: Unit])
}
