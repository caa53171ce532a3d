import ArgumentParser

/// An option of a command that stands above a setting is explained, and refuses what it does not take, as the
/// setting does.
extension Setting {
  /// What it is for, and what applies without it.
  var help: String {
    let sentence = purpose.hasSuffix(".") ? String(purpose.dropLast()) : purpose
    return "\(sentence) (default: \(standardText))."
  }

  /// - Throws: `ValidationError` for a value that the setting does not take.
  func check(option value: (some LosslessStringConvertible)?) throws {
    guard let value, let demand = refusal(of: String(value)) else { return }
    throw ValidationError("--\(name) is \(demand).")
  }
}
