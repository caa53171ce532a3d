/// A parser for unit strings. See `UnitForm` for the grammar.
struct UnitParser {
  /// Maximum nesting of parentheses and length of a unit string. Real units are far below these limits.
  private static let maximumDepth = 16
  private static let maximumLength = 1024

  private let text: String
  private var rest: Substring
  private var depth = 0

  private init(_ text: String) {
    self.text = text
    rest = text[...]
  }

  static func parse(_ text: String) throws(UnitError) -> [UnitFactor] {
    var parser = UnitParser(text)
    guard text.utf8.count <= maximumLength else {
      throw .tooLong(maximum: maximumLength)
    }
    if parser.isNull { return [] }
    let factors = try parser.unit()
    guard parser.rest.isEmpty else { throw parser.failure }
    return factors
  }

  private var failure: UnitError {
    .unreadable(text, place: text.count - rest.count)
  }

  /// Whether the string is empty or consists of nested empty parentheses.
  private var isNull: Bool {
    let half = text.utf8.count / 2
    return half <= Self.maximumDepth
      && text == String(repeating: "(", count: half) + String(repeating: ")", count: half)
  }

  private mutating func take(_ character: Character) -> Bool {
    guard rest.first == character else { return false }
    rest.removeFirst()
    return true
  }

  private mutating func unit() throws(UnitError) -> [UnitFactor] {
    var factors = try product()
    if take("/") { factors = factors.multiplied(by: try product(), power: -1) }
    return try bounded(factors)
  }

  private mutating func product() throws(UnitError) -> [UnitFactor] {
    var factors = try factor()
    while take(".") || take("*") || take("·") {
      factors = factors.multiplied(by: try factor(), power: 1)
    }
    return try bounded(factors)
  }

  private mutating func factor() throws(UnitError) -> [UnitFactor] {
    let factors: [UnitFactor] =
      if take("(") {
        try group()
      } else if take("1") {
        []
      } else {
        [try symbol()]
      }
    guard take("^") else { return factors }
    return try bounded([].multiplied(by: factors, power: try exponent()))
  }

  private mutating func group() throws(UnitError) -> [UnitFactor] {
    depth += 1
    guard depth <= Self.maximumDepth else { throw failure }
    let factors = try product()
    depth -= 1
    guard take(")") else { throw failure }
    return factors
  }

  private mutating func exponent() throws(UnitError) -> Int {
    let sign = take("-") ? -1 : 1
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    guard let magnitude = Int(digits), magnitude <= [UnitFactor].maximumExponent else { throw failure }
    rest = rest[digits.endIndex...]
    return sign * magnitude
  }

  private func bounded(_ factors: [UnitFactor]) throws(UnitError) -> [UnitFactor] {
    guard factors.areWithinBounds else { throw failure }
    return factors
  }

  private mutating func symbol() throws(UnitError) -> UnitFactor {
    let name = rest.prefix { $0.isASCII && $0.isLetter || $0 == "_" || $0 == "%" }
    guard var factor = Self.factor(named: name) else { throw failure }
    rest = rest[name.endIndex...]
    if factor.base == BaseUnit.mole, take("<") {
      let digits = rest.prefix { $0 != ">" }
      // Check the characters first, because `Double` would also accept hexadecimal numbers, signs, and names
      // such as inf.
      guard digits.allSatisfy({ "0123456789.eE-+".contains($0) }), digits.first?.isNumber == true,
        let mass = Double(digits).flatMap(MolarMass.canonical)
      else { throw failure }
      rest = rest[digits.endIndex...]
      guard take(">") else { throw failure }
      factor.molarMass = mass
    }
    return factor
  }

  private static func factor(named name: Substring) -> UnitFactor? {
    if let base = BaseUnit.find(name) { return UnitFactor(base: base) }
    for prefix in MetricPrefix.all where name.hasPrefix(prefix.symbol) {
      let symbol = name.dropFirst(prefix.symbol.count)
      if let base = BaseUnit.find(symbol), BaseUnit.table[base].takesPrefix {
        return UnitFactor(base: base, prefix: prefix)
      }
    }
    return nil
  }
}

/// An error in a unit.
public enum UnitError: Error, Hashable, Sendable {
  /// The string is longer than the maximum.
  case tooLong(maximum: Int)
  /// The string does not follow the grammar; `place` is the offset in characters.
  case unreadable(String, place: Int)
  /// The molar mass is not a positive number.
  case molarMassNotPositive
  /// The product has more factors or a higher power than a unit string can express.
  case outOfBounds
}

extension UnitError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .tooLong(let maximum):
      "a unit string has \(maximum) bytes at most"
    case .unreadable(let text, let place):
      "Unable to parse factorization string \"\(text)\" at character \(place)"
    case .molarMassNotPositive:
      "a molar mass must be a positive number"
    case .outOfBounds:
      "a unit has \([UnitFactor].maximumCount) factors and powers of \([UnitFactor].maximumExponent) at most"
    }
  }
}
