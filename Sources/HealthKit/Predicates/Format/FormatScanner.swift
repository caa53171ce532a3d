import Foundation

/// Splits a predicate format string into tokens and inserts the arguments for its placeholders.
struct FormatScanner {
  private let format: [Character]
  private var arguments: ArraySlice<Any?>
  private var index = 0

  private init(_ format: String, _ arguments: [Any?]) {
    self.format = Array(format)
    self.arguments = arguments[...]
  }

  /// Splits a format string into tokens.
  /// - Throws: errorInvalidArgument for an invalid token and for too few or too many arguments.
  static func tokens(_ format: String, _ arguments: [Any?]) throws(HKError) -> [FormatToken] {
    var scanner = FormatScanner(format, arguments)
    var tokens: [FormatToken] = []
    while let token = try scanner.next() { tokens.append(token) }
    guard scanner.arguments.isEmpty else {
      throw .format(
        "the format has fewer placeholders than arguments; \(scanner.arguments.count) argument(s) are not "
          + "used"
      )
    }
    return tokens
  }

  private mutating func next() throws(HKError) -> FormatToken? {
    while let character = peek, character.isWhitespace { index += 1 }
    guard let character = peek else { return nil }
    switch character {
    case "%": return try placeholder()
    case "'", "\"": return .value(try text(character))
    case "0"..."9": return .value(try number())
    case _ where character.isLetter || character == "_": return .word(word())
    default: return symbol(character)
    }
  }

  private var peek: Character? { index < format.count ? format[index] : nil }

  // MARK: - Placeholders

  private mutating func placeholder() throws(HKError) -> FormatToken {
    index += 1
    // Skip length modifiers, as in %ld and %llu, because arguments have their own type.
    while let length = peek, "lhqz".contains(length) { index += 1 }
    let conversion = peek
    index += 1
    switch conversion {
    case "@":
      return .value(Self.plain(try argument()))
    case "K":
      guard let key = Self.plain(try argument()) as? String else {
        throw .format("the argument for %K must be a String")
      }
      return .key(key)
    case "d", "D", "i", "u", "U", "x", "X", "o", "f", "F", "e", "E", "g", "G", "a", "A":
      let value = Self.plain(try argument())
      guard value is NSNumber else {
        throw .format("the argument for %d and similar placeholders must be a number")
      }
      return .value(value)
    default:
      throw .format("the format has an unknown placeholder")
    }
  }

  private mutating func argument() throws(HKError) -> Any? {
    guard let first = arguments.first else {
      throw .format("the format has more placeholders than there are arguments")
    }
    arguments.removeFirst()
    return first
  }

  /// Unwraps nested optionals. Returns nil for nil and for `NSNull`.
  static func plain(_ value: Any?) -> Any? {
    guard let value, !(value is NSNull) else { return nil }
    let mirror = Mirror(reflecting: value)
    guard mirror.displayStyle == .optional else { return value }
    return mirror.children.first.flatMap { plain($0.value) }
  }

  // MARK: - Literals

  private mutating func text(_ quote: Character) throws(HKError) -> String {
    index += 1
    var text = ""
    while let character = peek, character != quote {
      index += 1
      if character == "\\", let escaped = peek {
        text.append(escaped)
        index += 1
      } else {
        text.append(character)
      }
    }
    guard peek == quote else { throw .format("a quotation mark is missing") }
    index += 1
    return text
  }

  private mutating func number() throws(HKError) -> NSNumber {
    var digits = ""
    while let character = peek,
      character.isNumber || ".eE".contains(character)
        || "+-".contains(character) && "eE".contains(digits.last ?? " ")
    {
      digits.append(character)
      index += 1
    }
    if let whole = Int64(digits) { return NSNumber(value: whole) }
    guard let real = Double(digits) else { throw .format("“\(digits)” is not a number") }
    return NSNumber(value: real)
  }

  private mutating func word() -> String {
    let start = index
    while let character = peek, character.isLetter || character.isNumber || character == "_" { index += 1 }
    return String(format[start..<index])
  }

  private mutating func symbol(_ first: Character) -> FormatToken {
    let pair = String(format[index..<min(index + 2, format.count)])
    guard !Self.pairs.contains(pair) else {
      index += 2
      return .symbol(pair)
    }
    index += 1
    return "<>=!(){}[],.-".contains(first) ? .symbol(String(first)) : .unknown(first)
  }

  private static let pairs: Set<String> = ["==", ">=", "=>", "<=", "=<", "!=", "<>", "&&", "||"]
}

extension HKError {
  /// Returns an error for an invalid predicate format.
  static func format(_ reason: String) -> HKError {
    HKError(.errorInvalidArgument, reason: "the predicate format cannot be used: \(reason)")
  }
}

/// A token of a predicate format string.
enum FormatToken {
  /// A name or a reserved word.
  case word(String)
  /// An argument for `%K`: a name that is never a reserved word and may contain dots.
  case key(String)
  /// A literal, or an argument for `%@`, `%d` and similar placeholders. Nil for NULL.
  case value(Any?)
  /// An operator or punctuation.
  case symbol(String)
  /// A character that is not part of any token, such as the `$` of a variable in a SUBQUERY. The parser, not
  /// the scanner, rejects it, so that an earlier error is reported first.
  case unknown(Character)
  case end
}

extension FormatToken {
  /// Returns whether this is one of the reserved words, in any case.
  func isWord(_ words: String...) -> Bool {
    guard case .word(let word) = self else { return false }
    return words.contains(word.uppercased())
  }

  func isSymbol(_ symbols: String...) -> Bool {
    guard case .symbol(let symbol) = self else { return false }
    return symbols.contains(symbol)
  }
}
