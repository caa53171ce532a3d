internal import Foundation

/// What is set: by an option of the command before all else, then by the environment, then by the user's
/// file, then by the machine's, and then by default.
public struct Settings: Sendable {
  /// Where a value comes from.
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

  /// The machine's file.
  public static let systemFile = "/etc/hrgate/config"

  /// The user's file.
  public static func userFile(environment: [String: String]) -> String {
    userFolder(environment: environment) + "/hrgate/config"
  }

  /// Where a user's programs keep what is set: `$XDG_CONFIG_HOME`.
  public static func userFolder(environment: [String: String]) -> String {
    let folder = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    return folder ?? "\(home(environment))/.config"
  }

  private static func home(_ environment: [String: String]) -> String {
    environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? NSHomeDirectory()
  }

  /// - Parameter files: Those that are read, the one that counts more first; `nil` for the user's and the
  ///   machine's.
  /// - Throws: ``ConfigurationFault``.
  public init(environment: [String: String], files: [String]? = nil) throws(ConfigurationFault) {
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
        throw ConfigurationFault("\(setting.variable): it is \(setting.form.demand)")
      }
      values[setting] = (value, .environment(variable: setting.variable), .max)
    }
  }

  /// How much the place counts where the setting is set: the environment more than a file, the user's file
  /// more than the machine's. 0 where it is not set.
  public func rank(of setting: Setting) -> Int { values[setting]?.rank ?? 0 }

  public func origin(of setting: Setting) -> Origin { values[setting]?.origin ?? .standard }

  /// The value as text, and a path in full; `nil` where nothing is set and nothing is the default.
  public func text(_ setting: Setting) -> String? {
    guard let text = values[setting]?.text ?? setting.standard else { return nil }
    guard case .path = setting.form else { return text }
    return whole(text)
  }

  /// A path in full: `~/` is the home.
  public func whole(_ path: String) -> String { path.hasPrefix("~/") ? home + path.dropFirst() : path }

  /// For a setting of the form ``Setting/Form/truth``.
  public func truth(_ setting: Setting) -> Bool { text(setting).flatMap(Truth.init) == .yes }

  /// For a setting of the form ``Setting/Form/number(_:)``, all of which have a default.
  public func number(_ setting: Setting) -> Double {
    guard let number = text(setting).flatMap(Double.init) else {
      preconditionFailure("\(setting.name) is no number, or has no default")
    }
    return number
  }

  /// For a setting of the form ``Setting/Form/choice(_:)``, all of which have a default.
  public func choice(_ setting: Setting) -> String {
    guard let choice = text(setting) else { preconditionFailure("\(setting.name) has no default") }
    return choice
  }
}
