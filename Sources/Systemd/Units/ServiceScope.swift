/// Whose manager runs the service.
public enum ServiceScope: Hashable, Sendable {
  /// The machine's: from boot on, whoever is logged in. The service runs as this user.
  case system(owner: String)
  /// The user's own: while they are logged in, or from boot on where they linger (loginctl(1)).
  case user

  /// The unit, as systemctl takes it.
  public var unit: String {
    switch self {
    case .system(let owner): "hrgate@\(owner).service"
    case .user: "hrgate.service"
    }
  }

  /// The file that describes it.
  public var file: String {
    switch self {
    case .system: "hrgate@.service"
    case .user: "hrgate.service"
    }
  }

  /// Where packages put such files, and where whoever administers the machine does; the first that has it
  /// counts. systemd.unit(5), "Unit File Load Path".
  ///
  /// - Parameter configuration: The user's folder of configuration, `$XDG_CONFIG_HOME`.
  func folders(configuration: String) -> (own: String, packages: [String]) {
    switch self {
    case .system:
      (
        "/etc/systemd/system",
        ["/usr/local/lib/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system"]
      )
    case .user:
      (
        "\(configuration)/systemd/user",
        ["/etc/systemd/user", "/usr/local/lib/systemd/user", "/usr/lib/systemd/user"]
      )
    }
  }

  /// The links that enabling makes, one of which is enough: the own folder's, and one for all users.
  func links(configuration: String) -> [String] {
    let wants = "bluetooth.target.wants/\(unit)"
    switch self {
    case .system: return ["/etc/systemd/system/\(wants)"]
    case .user: return ["\(configuration)/systemd/user/\(wants)", "/etc/systemd/user/\(wants)"]
    }
  }

  /// Where the file stands that adds to the unit's.
  func addition(configuration: String) -> String {
    "\(folders(configuration: configuration).own)/\(unit).d/home.conf"
  }
}
