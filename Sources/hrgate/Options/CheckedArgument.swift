import ArgumentParser

/// An argument with a rule that error messages explain.
protocol CheckedArgument {
  /// Returns `nil` if the argument is invalid.
  init?(argument: String)

  /// Returns the rule, and a suggestion for a probable typo.
  static func rule(for argument: String) -> String
}

extension CheckedArgument {
  /// Parses an argument.
  ///
  /// - Throws: `ValidationError` with the rule.
  static func read(_ argument: String) throws -> Self {
    guard let value = Self(argument: argument) else { throw ValidationError(rule(for: argument)) }
    return value
  }
}
