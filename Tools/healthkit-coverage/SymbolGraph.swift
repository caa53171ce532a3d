import Foundation

/// The required part of a symbol graph file, in which the compiler lists a module's symbols.
struct SymbolGraph: Decodable {
  struct Symbol: Decodable {
    struct Identifier: Decodable {
      let precise: String
    }

    struct Kind: Decodable {
      let identifier: String
    }

    struct Availability: Decodable {
      let isUnconditionallyUnavailable: Bool?
    }

    struct Extension: Decodable {
      struct Constraint: Decodable {
        let kind: String
        let lhs: String
        let rhs: String
      }

      let constraints: [Constraint]?
    }

    let identifier: Identifier
    let kind: Kind
    let pathComponents: [String]
    let availability: [Availability]?
    let swiftExtension: Extension?

    var name: String { (owner.isEmpty ? "" : owner + ".") + (pathComponents.last ?? "") }

    /// The name of the enclosing type; empty for global symbols.
    ///
    /// A protocol member with the constraint `where Self: HKUnit` belongs to that class.
    var owner: String { onlyClass ?? pathComponents.dropLast().joined(separator: ".") }

    private var onlyClass: String? {
      swiftExtension?.constraints?.first { $0.kind == "superclass" && $0.lhs == "Self" }?.rhs
    }

    /// Whether the member comes from a protocol extension. Subclasses inherit it.
    var isSynthesized: Bool { identifier.precise.contains("::SYNTHESIZED::") || onlyClass != nil }
    var isInitializer: Bool { kind.identifier == "swift.init" }
    var isUnavailable: Bool { availability?.contains { $0.isUnconditionallyUnavailable == true } ?? false }
  }

  struct Relationship: Decodable {
    let kind: String
    let source: String
    let target: String
    /// The name of a target that another module declares.
    let targetFallback: String?
  }

  let symbols: [Symbol]
  let relationships: [Relationship]

  /// Reads the graphs of a module in a folder: its own, and one for each module that it extends.
  static func all(of module: String, in folder: URL) throws -> [SymbolGraph] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { name in
      name == "\(module).symbols.json" || name.hasPrefix("\(module)@") && name.hasSuffix(".symbols.json")
    }
    guard !names.isEmpty else { throw CoverageError("no symbol graph of \(module) in \(folder.path)") }
    return try names.sorted().map { name in
      try JSONDecoder().decode(SymbolGraph.self, from: Data(contentsOf: folder.appending(path: name)))
    }
  }
}
