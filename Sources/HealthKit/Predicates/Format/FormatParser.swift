import Foundation
import HealthStorage

/// Parses the subset of Foundation's predicate format strings that HealthKit's key paths need: comparisons,
/// `IN`, `BETWEEN`, string relations, `AND`, `OR` and `NOT`.
struct FormatParser {
  private let tokens: [FormatToken]
  private var index = 0
  private var depth = 0

  /// Parses a format.
  /// - Throws: errorInvalidArgument with the reason if the format is not supported.
  static func predicate(_ format: String, _ arguments: [Any?]) throws(HKError) -> NSPredicate {
    var parser = FormatParser(tokens: try FormatScanner.tokens(format, arguments))
    let predicate = try parser.disjunction()
    guard case .end = parser.peek else { throw parser.refusal("there is text after its end") }
    return predicate
  }

  private init(tokens: [FormatToken]) {
    self.tokens = tokens
  }

  private var peek: FormatToken { index < tokens.count ? tokens[index] : .end }

  private mutating func take() -> FormatToken {
    defer { index += 1 }
    return peek
  }

  private mutating func takes(_ isSought: (FormatToken) -> Bool) -> Bool {
    guard isSought(peek) else { return false }
    index += 1
    return true
  }

  /// Returns the error for the current position. If there is an unknown character, the error names it instead
  /// of the given reason.
  private func refusal(_ reason: String) -> HKError {
    if case .unknown(let character) = peek {
      return .format("“\(character)” is not allowed in a predicate format")
    }
    return .format(reason)
  }

  // MARK: - Compounds

  private mutating func disjunction() throws(HKError) -> NSPredicate {
    var parts = [try conjunction()]
    while takes({ $0.isWord("OR") || $0.isSymbol("||") }) { parts.append(try conjunction()) }
    return parts.count == 1 ? parts[0] : NSCompoundPredicate(orPredicateWithSubpredicates: parts)
  }

  private mutating func conjunction() throws(HKError) -> NSPredicate {
    var parts = [try negation()]
    while takes({ $0.isWord("AND") || $0.isSymbol("&&") }) { parts.append(try negation()) }
    return parts.count == 1 ? parts[0] : NSCompoundPredicate(andPredicateWithSubpredicates: parts)
  }

  private mutating func negation() throws(HKError) -> NSPredicate {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.deepest else { throw .format("the format is nested more than \(Self.deepest) deep") }
    if takes({ $0.isWord("NOT") || $0.isSymbol("!") }) {
      return NSCompoundPredicate(notPredicateWithSubpredicate: try negation())
    }
    if takes({ $0.isSymbol("(") }) {
      let predicate = try disjunction()
      guard takes({ $0.isSymbol(")") }) else { throw refusal("a parenthesis is missing") }
      return predicate
    }
    if takes({ $0.isWord("TRUEPREDICATE") }) { return NSPredicate(value: true) }
    if takes({ $0.isWord("FALSEPREDICATE") }) { return NSPredicate(value: false) }
    return try comparison().predicate
  }

  /// Maximum depth of nested parentheses and NOT. Without a limit, a long format string could overflow the
  /// stack.
  private static var deepest: Int { 100 }

  // MARK: - Comparisons

  private enum Operand {
    case keyPath(String)
    case value(Any?)
  }

  private mutating func comparison() throws(HKError) -> FormatComparison {
    let left = try operand()
    let (relation, folding) = try relation()
    switch (left, try operand()) {
    case (.keyPath(let keyPath), .value(let value)):
      return FormatComparison(keyPath: keyPath, relation: relation, folding: folding, value: value)
    case (.value(let value), .keyPath(let keyPath)):
      guard case .compares(let comparison) = relation else {
        throw .format("IN, BETWEEN and text operators need a key path on their left")
      }
      return FormatComparison(
        keyPath: keyPath, relation: .compares(comparison.seenFromTheOtherSide), folding: folding,
        value: value)
    default:
      throw .format("a comparison needs a key path and a value")
    }
  }

  private mutating func operand() throws(HKError) -> Operand {
    switch peek {
    case .value(let value):
      index += 1
      return .value(value)
    case .symbol("{"):
      return .value(try list())
    case .symbol("-"):
      index += 1
      guard case .value(let value as NSNumber) = take() else { throw .format("“-” needs a number") }
      return .value(NSNumber(value: -value.doubleValue))
    case _ where takes({ $0.isWord("TRUE", "YES") }):
      return .value(true)
    case _ where takes({ $0.isWord("FALSE", "NO") }):
      return .value(false)
    case _ where takes({ $0.isWord("NULL", "NIL") }):
      return .value(nil)
    case .word, .key:
      return .keyPath(try keyPath())
    default:
      throw refusal("a key path or a value is missing")
    }
  }

  /// Parses a list such as `{1, 5}` in `BETWEEN {1, 5}`.
  private mutating func list() throws(HKError) -> [Any] {
    index += 1
    var values: [Any] = []
    while !takes({ $0.isSymbol("}") }) {
      guard values.isEmpty || takes({ $0.isSymbol(",") }), case .value(let value?) = try operand() else {
        throw .format("a list in braces must have values separated by commas")
      }
      values.append(value)
    }
    return values
  }

  private mutating func keyPath() throws(HKError) -> String {
    var names: [String] = []
    repeat {
      switch take() {
      case .word(let word) where Self.beyond.contains(word.uppercased()):
        throw .format("\(word.uppercased()) is not supported; use a predicate function of HKQuery")
      case .word(let name), .key(let name): names.append(name)
      default: throw .format("a name is missing after a dot")
      }
    } while takes({ $0.isSymbol(".") })
    if names.count > 1, names[0].uppercased() == "SELF" { names.removeFirst() }
    return names.joined(separator: ".")
  }

  /// Reserved words in Foundation's format strings that this parser does not support.
  private static let beyond: Set<String> = ["ANY", "SOME", "ALL", "NONE", "SUBQUERY", "CAST", "FUNCTION"]

  private mutating func relation() throws(HKError) -> (FormatComparison.Relation, TextFolding) {
    let relation: FormatComparison.Relation
    if case .unknown = peek { throw refusal("an operator is missing") }
    switch take() {
    case .symbol(let symbol):
      guard let comparison = Self.comparisons[symbol] else { throw .format("an operator is missing") }
      relation = .compares(comparison)
    case .word(let word):
      guard let known = Self.relations[word.uppercased()] else {
        throw .format(
          word.uppercased() == "MATCHES"
            ? "MATCHES is not supported, because a regular expression may take very long; use LIKE with * and ?"
            : "“\(word)” is not an operator")
      }
      relation = known
    default:
      throw .format("an operator is missing")
    }
    return (relation, try folding())
  }

  /// Parses string options such as `[cd]` in `CONTAINS[cd]`.
  private mutating func folding() throws(HKError) -> TextFolding {
    guard takes({ $0.isSymbol("[") }) else { return TextFolding() }
    guard case .word(let letters) = take(), takes({ $0.isSymbol("]") }),
      letters.lowercased().allSatisfy("cdn".contains)
    else { throw .format("the options of an operator are [c], [d] and [cd]") }
    return TextFolding(
      case: letters.lowercased().contains("c"), diacritics: letters.lowercased().contains("d"))
  }

  private static let comparisons: [String: ValueComparison] = [
    "=": .equal, "==": .equal, "!=": .notEqual, "<>": .notEqual, "<": .less, "<=": .lessOrEqual,
    "=<": .lessOrEqual, ">": .greater, ">=": .greaterOrEqual, "=>": .greaterOrEqual,
  ]

  private static let relations: [String: FormatComparison.Relation] = [
    "IN": .isIn, "BETWEEN": .between, "BEGINSWITH": .text(.beginsWith), "ENDSWITH": .text(.endsWith),
    "CONTAINS": .text(.contains), "LIKE": .text(.like),
  ]
}

extension ValueComparison {
  /// The comparison to use if the operands are swapped: `5 < x` becomes `x > 5`.
  fileprivate var seenFromTheOtherSide: ValueComparison {
    switch self {
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .equal, .notEqual: self
    case .greaterOrEqual: .lessOrEqual
    case .greater: .less
    }
  }
}
