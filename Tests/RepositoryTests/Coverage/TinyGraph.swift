import Foundation

@testable import healthkit_coverage

/// Builds a small symbol graph through its JSON.
struct TinyGraph {
  private var symbols: [String] = []
  private var relationships: [String] = []

  mutating func add(
    _ name: String, _ kind: String = "swift.method", synthesized: Bool = false, unavailable: Bool = false
  ) {
    let path = name.split(separator: ".").map { "\"\($0)\"" }.joined(separator: ", ")
    let availability =
      unavailable ? #", "availability": [{"domain": "*", "isUnconditionallyUnavailable": true}]"# : ""
    symbols.append(
      """
      {"identifier": {"precise": "s:\(name)\(synthesized ? "::SYNTHESIZED::s:x" : "")"},
        "kind": {"identifier": "\(kind)"}, "pathComponents": [\(path)]\(availability)}
      """)
  }

  mutating func relate(_ source: String, _ kind: String, _ target: String, fallback: String = "") {
    relationships.append(
      """
      {"kind": "\(kind)", "source": "s:\(source)", "target": "s:\(target)", "targetFallback": "\(fallback)"}
      """)
  }

  func surface() throws -> PublicSurface {
    let json = """
      {"symbols": [\(symbols.joined(separator: ","))], "relationships": [\(relationships.joined(separator: ","))]}
      """
    return PublicSurface([try JSONDecoder().decode(SymbolGraph.self, from: Data(json.utf8))])
  }
}
