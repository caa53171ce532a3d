import ArgumentParser
import Foundation

extension Settings {
  /// The settings of this user on this machine.
  ///
  /// - Throws: `ConfigurationError` if a settings file is invalid.
  static var current: Settings {
    get throws { try Settings(environment: ProcessInfo.processInfo.environment) }
  }
}

/// Command options that override a setting have its help text and checks.
extension Setting {
  /// The help text: purpose and default.
  var help: String {
    let sentence = purpose.hasSuffix(".") ? String(purpose.dropLast()) : purpose
    return "\(sentence) (default: \(standardText))."
  }

  /// - Throws: `ValidationError` if the setting does not accept the value.
  func check(option value: (some LosslessStringConvertible)?) throws {
    guard let value, let demand = refusal(of: String(value)) else { return }
    throw ValidationError("--\(name) must be \(demand).")
  }
}
