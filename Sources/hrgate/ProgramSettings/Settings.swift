internal import Foundation

/// The settings. Precedence: the environment, the user's file, the machine's file, the default. Options of a
/// command are checked before them.
public struct Settings: Sendable {
  /// The origin of a value.
  public enum Origin: Hashable, Sendable {
    case environment(variable: String)
    case file(path: String, line: Int)
    case standard

    public var text: String {
      switch self {
      case .environment(let variable): variable
      case .file(let path, let line): "\(path):\(line)"
      case .standard: "default"
      }
    }
  }

  private var values: [Setting: (text: String, origin: Origin, rank: Int)] = [:]
  private let home: String

  /// Path of the machine's file.
  public static let systemFile = "/etc/hrgate/config"

  /// Returns the path of the user's file.
  public static func userFile(environment: [String: String]) -> String {
    userFolder(environment: environment) + "/hrgate/config"
  }

  /// Returns the user's configuration directory, `$XDG_CONFIG_HOME`.
  public static func userFolder(environment: [String: String]) -> String {
    let folder = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    return folder ?? "\(home(environment))/.config"
  }

  private static func home(_ environment: [String: String]) -> String {
    environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? NSHomeDirectory()
  }

  /// Reads the settings.
  ///
  /// - Parameter files: The files to read, highest precedence first; `nil` for the user's and the machine's.
  /// - Throws: ``ConfigurationError`` if a file or a variable is invalid.
  public init(environment: [String: String], files: [String]? = nil) throws(ConfigurationError) {
    home = Self.home(environment)
    let files = files ?? [Self.userFile(environment: environment), Self.systemFile]
    for (rank, path) in files.reversed().enumerated() {
      guard let file = try SettingsFile(at: path) else { continue }
      for (setting, entry) in file.entries {
        values[setting] = (entry.value, .file(path: path, line: entry.line), rank + 1)
      }
    }
    for setting in Setting.all {
      guard let value = environment[setting.variable], !value.isEmpty else { continue }
      guard setting.form.accepts(value) else {
        throw ConfigurationError("\(setting.variable): the value must be \(setting.form.demand)")
      }
      values[setting] = (value, .environment(variable: setting.variable), .max)
    }
  }

  /// Returns the precedence of a setting's origin: the environment above the user's file, and that above the
  /// machine's. 0 if it is not set.
  public func rank(of setting: Setting) -> Int { values[setting]?.rank ?? 0 }

  public func origin(of setting: Setting) -> Origin { values[setting]?.origin ?? .standard }

  /// Returns the value as text, paths expanded; `nil` if there is neither a value nor a default.
  public func text(_ setting: Setting) -> String? {
    guard let text = values[setting]?.text ?? setting.standard else { return nil }
    guard case .path = setting.form else { return text }
    return whole(text)
  }

  /// Expands `~/` to the home directory.
  public func whole(_ path: String) -> String { path.hasPrefix("~/") ? home + path.dropFirst() : path }

  /// Returns the value of a setting of the form ``Setting/Form/boolean``.
  public func boolean(_ setting: Setting) -> Bool { text(setting).flatMap(Boolean.init) == .yes }

  /// Returns the value of a setting of the form ``Setting/Form/number(_:)``, which always has a default.
  public func number(_ setting: Setting) -> Double {
    guard let number = text(setting).flatMap(Double.init) else {
      preconditionFailure("\(setting.name) is not a number, or has no default")
    }
    return number
  }

  /// Returns the value of a setting of the form ``Setting/Form/choice(_:)``, which always has a default.
  public func choice(_ setting: Setting) -> String {
    guard let choice = text(setting) else { preconditionFailure("\(setting.name) has no default") }
    return choice
  }
}
