import HealthStorage

/// A comparison in a predicate format string: a key path, a relation and a value.
struct FormatComparison {
  enum Relation {
    case compares(ValueComparison)
    case isIn
    case between
    case text(TextRelation)
  }

  /// The key path, such as `device.name`. Everything after `metadata.` is a single key, even if it contains
  /// dots.
  let keyPath: String
  let relation: Relation
  /// The case and diacritic options of a string comparison.
  var folding = TextFolding()
  let value: Any?
}

extension FormatComparison {
  /// The predicate for this comparison.
  /// - Throws: errorInvalidArgument if the key path is unknown, or if the relation or value does not fit it.
  var predicate: NSPredicate {
    get throws(HKError) {
      guard case .compares(.notEqual) = relation else { return try FormatKeyPath.predicate(self) }
      // Translate `!=` to a negated `==`, so that it also matches objects without a value.
      let equal = FormatComparison(
        keyPath: keyPath, relation: .compares(.equal), folding: folding, value: value)
      return NSCompoundPredicate(notPredicateWithSubpredicate: try FormatKeyPath.predicate(equal))
    }
  }
}

// MARK: - Values

extension FormatComparison {
  /// Returns the values of an equality comparison: one for `==`, any number for `IN`.
  /// - Throws: errorInvalidArgument for another relation or a value of another type.
  func values<Value>(_ convert: (Any) -> Value?, _ kind: String) throws(HKError) -> [Value] {
    switch relation {
    case .compares(.equal): return [try single(convert, kind)]
    case .isIn: return try list(convert, kind)
    default: throw .format("\(keyPath) can be compared by ==, != and IN")
    }
  }

  /// Builds a filter on values that have an order.
  /// - Throws: errorInvalidArgument for a string relation or a value of another type.
  func ordered<Value, Part>(
    _ convert: (Any) -> Value?, _ kind: String, _ part: (ValueComparison, Value) -> Part,
    all: ([Part]) -> Part, any: ([Part]) -> Part
  ) throws(HKError) -> Part {
    switch relation {
    case .compares(let comparison):
      return part(comparison, try single(convert, kind))
    case .isIn:
      return any(try list(convert, kind).map { part(.equal, $0) })
    case .between:
      let bounds = try list(convert, kind)
      guard bounds.count == 2 else { throw .format("BETWEEN takes two values") }
      return all([part(.greaterOrEqual, bounds[0]), part(.lessOrEqual, bounds[1])])
    case .text:
      throw .format("\(keyPath) is not a text")
    }
  }

  /// Returns the string relations of the comparison. An object matches if one of them holds.
  func texts() throws(HKError) -> [(relation: TextRelation, text: String)] {
    switch relation {
    case .text(let relation): return [(relation, try single({ $0 as? String }, "a String"))]
    default:
      return try values({ $0 as? String }, "a String").map { (.equals, $0) }
    }
  }

  private func single<Value>(_ convert: (Any) -> Value?, _ kind: String) throws(HKError) -> Value {
    guard let converted = value.flatMap(convert) else {
      throw .format("\(keyPath) must be compared with \(kind)")
    }
    return converted
  }

  /// Converts the members of an array or set. Returns an empty array if there are no members; the comparison
  /// then matches nothing.
  private func list<Value>(_ convert: (Any) -> Value?, _ kind: String) throws(HKError) -> [Value] {
    guard let members else { throw .format("IN and BETWEEN take an array or a set") }
    var values: [Value] = []
    for member in members {
      guard let converted = convert(member) else { throw .format("\(keyPath) must be compared with \(kind)") }
      values.append(converted)
    }
    return values
  }

  /// The members of the value, if it is an array or a set, otherwise nil.
  var members: [Any]? {
    if let array = value as? [Any] { return array }
    return (value as? Set<AnyHashable>).map { $0.map(\.base) }
  }

  /// Whether the comparison is `== nil` or `!= nil`, which tests whether there is a value.
  var isAboutPresence: Bool {
    guard case .compares(.equal) = relation else { return false }
    return value == nil
  }
}
