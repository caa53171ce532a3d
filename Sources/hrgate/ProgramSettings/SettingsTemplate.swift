extension Settings {
  /// A commented settings file without values, as `hrgate config --template` prints it.
  public static let template = """
    # Settings for all runs of hrgate on this machine (/etc/hrgate/config), or for one user (~/.config/hrgate/config), which takes precedence.
    # The environment takes precedence over both (each setting names its variable), and an option of a command over all. `hrgate config` shows each value and its origin.

    """
    + Setting.all.map { setting in
      """

      # \(setting.purpose)
      # \(setting.form.hint); default: \(setting.standardText). Variable: \(setting.variable)
      #\(setting.name) = \(setting.example)

      """
    }.joined()
}

extension Setting {
  /// An example value.
  fileprivate var example: String {
    switch form {
    case .boolean, .number, .choice: standard ?? ""
    case .path:
      self == .metrics ? "~/.local/share/hrgate/hrgate.prom" : "~/.local/share/hrgate/health.sqlite"
    case .address: "00:1B:DC:0A:0B:01"
    case .name: "owner"
    }
  }
}

extension Setting.Form {
  fileprivate var hint: String {
    let demand = demand
    return demand.prefix(1).uppercased() + demand.dropFirst()
  }
}
