import ArgumentParser

/// A value on the command line that has a rule: whoever breaks it is told what it is.
protocol CheckedArgument {
  /// - Returns: `nil` for what breaks the rule.
  init?(argument: String)

  /// What has to stand there, and what was probably meant, for whoever wrote something else.
  static func rule(for argument: String) -> String
}

extension CheckedArgument {
  /// - Throws: `ValidationError` with the rule.
  static func read(_ argument: String) throws -> Self {
    guard let value = Self(argument: argument) else { throw ValidationError(rule(for: argument)) }
    return value
  }
}
