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
  /// The help text of the option: purpose and default. For `--values` and `--no-values`, which share their
  /// help text, it also says what `--no-values` does.
  var help: String {
    guard let negation = Self.negations[self] else {
      let sentence = purpose.hasSuffix(".") ? String(purpose.dropLast()) : purpose
      return "\(sentence) (default: \(standardText))."
    }
    return standard == "yes"
      ? "\(purpose) This is the default; --no-\(name) \(negation)."
      : "\(purpose) The default is --no-\(name), which \(negation)."
  }

  /// For each boolean option: what its `--no-…` form does.
  private static let negations: [Setting: String] = [
    .wait: "ends with an error",
    .resetEnergy: "leaves the counter unchanged",
    .values: "hides them",
    .sync: "sends nothing",
    .derive: "computes nothing",
    .condense: "leaves the samples uncompressed",
    .journal: "writes lines of text",
    .metricsGroup: "lets only its owner read it",
    .page: "does not serve it",
  ]

  /// - Throws: `ValidationError` if the setting does not accept the value.
  func check(option value: (some LosslessStringConvertible)?) throws {
    guard let value, let demand = refusal(of: String(value)) else { return }
    throw ValidationError("--\(name) must be \(demand).")
  }
}
