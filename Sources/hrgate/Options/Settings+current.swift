import Foundation

extension Settings {
  /// The settings of this user on this machine.
  ///
  /// - Throws: `ConfigurationError` if a settings file is invalid.
  static var current: Settings {
    get throws { try Settings(environment: ProcessInfo.processInfo.environment) }
  }
}
