import Foundation

extension Settings {
  /// What is set now, for this user on this machine.
  /// - Throws: `ConfigurationFault`.
  static var current: Settings {
    get throws { try Settings(environment: ProcessInfo.processInfo.environment) }
  }
}
