/// The public symbols of a module, including inherited members.
struct PublicSurface {
  /// All symbols that a client can use. Inherited members are listed for each type.
  let names: Set<String>
  /// The symbols that the module itself declares.
  private let declared: Set<String>
  /// The superclass of each class, by name.
  private let superclasses: [String: String]

  init(_ graphs: [SymbolGraph]) {
    let symbols = graphs.flatMap(\.symbols).filter { !$0.isUnavailable }
    let relationships = graphs.flatMap(\.relationships)
    let types = Dictionary(symbols.map { ($0.identifier.precise, $0.name) }) { one, _ in one }
    var superclasses: [String: String] = [:]
    for relationship in relationships where relationship.kind == "inheritsFrom" {
      superclasses[types[relationship.source] ?? ""] = types[relationship.target]
    }
    self.superclasses = superclasses
    declared = Set(symbols.filter { !$0.isSynthesized }.map(\.name))

    var names = Set(symbols.map(\.name))
    // The symbol graph lists members from protocol extensions, but not inherited members. Add the inherited
    // ones.
    let members = Dictionary(grouping: symbols, by: \.owner)
    for subclass in superclasses.keys {
      for superclass in Self.chain(above: subclass, superclasses) {
        // Subclasses inherit the initializers of protocol extensions, but not those of their superclass.
        for member in members[superclass] ?? [] where member.isSynthesized || !member.isInitializer {
          names.insert("\(subclass).\(member.pathComponents.last ?? "")")
        }
      }
    }
    // The symbol graph does not list members that the compiler synthesizes. Add `allCases`.
    for relationship in relationships where relationship.kind == "conformsTo" {
      guard relationship.targetFallback == "Swift.CaseIterable", let type = types[relationship.source] else {
        continue
      }
      names.insert("\(type).allCases")
    }
    self.names = names
  }

  private static func chain(above type: String, _ superclasses: [String: String]) -> [String] {
    Array(sequence(first: type) { superclasses[$0] }.dropFirst())
  }

  /// Returns the declared symbols that are not in `known`, sorted, without overrides and requirements of
  /// conformances.
  func extras(beyond known: Set<String>) -> [String] {
    declared.subtracting(known).filter { name in
      guard let dot = name.lastIndexOfOwner else { return true }
      let member = String(name[name.index(after: dot)...])
      let overridden = Self.chain(above: String(name[..<dot]), superclasses).map { "\($0).\(member)" }
      return !Self.conformances.contains(member) && known.isDisjoint(with: overridden)
    }.sorted()
  }

  /// Members that protocols of the standard library and Foundation require, and overrides of NSObject.
  /// Apple's types have them too.
  private static let conformances: Set<String> = [
    "init(rawValue:)", "rawValue", "RawValue", "==(_:_:)", "~=(_:_:)", "hash(into:)", "hash", "isEqual(_:)",
    "description", "debugDescription", "init(coder:)", "encode(with:)", "supportsSecureCoding", "copy(with:)",
    "copy()", "init(from:)", "encode(to:)", "errorCode", "errorDomain", "errorUserInfo", "errorDescription",
    "ArrayLiteralElement", "Element", "AsyncIterator", "Failure", "Output", "Sequence", "allCases",
    "AllCases",
  ]
}

extension String {
  /// The dot between a type and its member: the last one before the argument labels.
  var lastIndexOfOwner: Index? { self[..<(firstIndex(of: "(") ?? endIndex)].lastIndex(of: ".") }
}
