import Foundation

/// What the compiler says a module offers: the part of a symbol graph file that matters here.
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

    let identifier: Identifier
    let kind: Kind
    let pathComponents: [String]
    let availability: [Availability]?

    var name: String { pathComponents.joined(separator: ".") }
    /// The name of the type that it is a member of; empty for a global one.
    var owner: String { pathComponents.dropLast().joined(separator: ".") }
    /// Not declared but inherited, from an extension of a protocol.
    var isSynthesized: Bool { identifier.precise.contains("::SYNTHESIZED::") }
    var isInitializer: Bool { kind.identifier == "swift.init" }
    var isUnavailable: Bool { availability?.contains { $0.isUnconditionallyUnavailable == true } ?? false }
  }

  struct Relationship: Decodable {
    let kind: String
    let source: String
    let target: String
    /// The target's name, for one that another module declares.
    let targetFallback: String?
  }

  let symbols: [Symbol]
  let relationships: [Relationship]

  /// The graphs of a module that lie in a folder: its own, and one for each module that it extends.
  static func all(of module: String, in folder: URL) throws -> [SymbolGraph] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { name in
      name == "\(module).symbols.json" || name.hasPrefix("\(module)@") && name.hasSuffix(".symbols.json")
    }
    guard !names.isEmpty else { throw CoverageFailure("no symbol graph of \(module) in \(folder.path)") }
    return try names.sorted().map { name in
      try JSONDecoder().decode(SymbolGraph.self, from: Data(contentsOf: folder.appending(path: name)))
    }
  }
}
