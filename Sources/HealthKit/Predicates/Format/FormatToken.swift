/// A piece of a predicate format.
enum FormatToken {
  /// A name or a reserved word.
  case word(String)
  /// What was given for `%K`: a name that is no reserved word, dots included.
  case key(String)
  /// A literal, or what was given for `%@`, `%d` and their like; nil for NULL.
  case value(Any?)
  /// An operator, or punctuation.
  case symbol(String)
  /// What means nothing here. It is refused where it stands, so that what is wrong before it is told first: a
  /// SUBQUERY, for instance, and not its variable.
  case unknown(Character)
  case end
}

extension FormatToken {
  /// Whether it is a reserved word, which may be written in either case.
  func isWord(_ words: String...) -> Bool {
    guard case .word(let word) = self else { return false }
    return words.contains(word.uppercased())
  }

  func isSymbol(_ symbols: String...) -> Bool {
    guard case .symbol(let symbol) = self else { return false }
    return symbols.contains(symbol)
  }
}
