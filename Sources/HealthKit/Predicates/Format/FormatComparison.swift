import HealthStorage

/// One comparison of a predicate format: what is at a key path, and how it must lie to a value.
struct FormatComparison {
  enum Relation {
    case compares(ValueComparison)
    case isIn
    case between
    case text(TextRelation)
  }

  /// Joined by dots. After `metadata.` the rest is one key.
  let keyPath: String
  let relation: Relation
  /// For texts.
  var folding = TextFolding()
  let value: Any?
}

extension FormatComparison {
  /// The predicate for which it stands.
  /// - Throws: errorInvalidArgument for a key path that is not known, or a relation or value that does not go
  ///   with it.
  var predicate: NSPredicate {
    get throws(HKError) {
      guard case .compares(.notEqual) = relation else { return try FormatKeyPath.predicate(self) }
      // Also of objects without such a value: what is not there is not equal.
      let equal = FormatComparison(
        keyPath: keyPath, relation: .compares(.equal), folding: folding, value: value)
      return NSCompoundPredicate(notPredicateWithSubpredicate: try FormatKeyPath.predicate(equal))
    }
  }
}

// MARK: - Values

extension FormatComparison {
  /// The values of which one must be equal: of `==` one, of `IN` any number.
  func values<Value>(_ convert: (Any) -> Value?, _ kind: String) throws(HKError) -> [Value] {
    switch relation {
    case .compares(.equal): return [try single(convert, kind)]
    case .isIn: return try list(convert, kind)
    default: throw .format("\(keyPath) can be compared by ==, != and IN")
    }
  }

  /// A filter for values that have an order.
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
      throw .format("\(keyPath) is no text")
    }
  }

  /// What a text must be: one of some texts, or in one relation to one.
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

  /// An empty list matches nothing.
  private func list<Value>(_ convert: (Any) -> Value?, _ kind: String) throws(HKError) -> [Value] {
    guard let members else { throw .format("IN and BETWEEN take an array or a set") }
    var values: [Value] = []
    for member in members {
      guard let converted = convert(member) else { throw .format("\(keyPath) must be compared with \(kind)") }
      values.append(converted)
    }
    return values
  }

  /// Of an array or a set; nil for anything else.
  var members: [Any]? {
    if let array = value as? [Any] { return array }
    return (value as? Set<AnyHashable>).map { $0.map(\.base) }
  }

  /// Whether it asks for something that is there or not there: `== nil` and `!= nil`.
  var isAboutPresence: Bool {
    guard case .compares(.equal) = relation else { return false }
    return value == nil
  }
}
