import Foundation
import Testing

/// Compares the graph in ARCHITECTURE.md with the manifest. Both are read as text.
@Suite struct GraphTests {
  @Test func `the graph equals the manifest (scripts/graph writes it)`() throws {
    let drawn = try Self.drawn()
    let manifest = try Manifest()
    #expect(Set(drawn.keys) == Set(Architecture.layers.keys))
    for (target, edges) in drawn {
      #expect(edges.layer == Architecture.layers[target], "\(target)")
      #expect(edges.names == manifest.dependencies(of: target), "\(target)")
    }
  }

  @Test func `the targets that the fuzzers build have the same dependencies as here`() throws {
    let manifest = try Manifest()
    let fuzz = try Manifest("Fuzz/Package.swift")
    let linked = fuzz.targets.filter { manifest.dependencies(of: $0) != nil }
    #expect(linked.contains("HealthKit"))
    for target in linked {
      #expect(fuzz.dependencies(of: target) == manifest.dependencies(of: target), "\(target)")
      let link = SourceFile.root.appending(path: "Fuzz/Sources/\(target)").path(percentEncoded: false)
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "../../Sources/\(target)")
    }
  }

  private static func drawn() throws -> [String: (layer: Int, names: Set<String>)] {
    let page = try String(contentsOf: SourceFile.root.appending(path: "ARCHITECTURE.md"), encoding: .utf8)
    let graph = try #require(page.firstMatch(of: #/<!-- graph[^\n]*\n```\n(?<lines>[^`]*)```\n<!-- end/#))
      .lines
    var layer = 0
    var drawn: [String: (layer: Int, names: Set<String>)] = [:]
    for line in graph.split(separator: "\n") {
      let words = line.split { " →,()".contains($0) }.map(String.init)
      if line.hasPrefix("layer "), let number = words.last.flatMap({ Int($0) }) {
        layer = number
      } else if let target = words.first {
        drawn[target] = (layer, Set(words.dropFirst()))
      }
    }
    return drawn
  }
}

/// A package manifest, split at its target declarations.
private struct Manifest {
  private var declarations: [String: Set<String>] = [:]
  /// The default dependencies of an example, which apply if it lists no dependencies.
  private var ofExamples: Set<String> = []

  init(_ path: String = "Package.swift") throws {
    let text = try String(contentsOf: SourceFile.root.appending(path: path), encoding: .utf8)
    if let helper = text.firstMatch(of: #/func example\([^}]*}/#) {
      ofExamples = Self.names(in: helper.output)
    }
    let targets = try #require(text.firstRange(of: "  targets: ["))
    let start =
      #/(?:library|tests|example|fuzzer|\.\w*[tT]arget|\.systemLibrary)\(\s*(?:name: )?"(?<name>[\w-]+)"/#
    let starts = text[targets.upperBound...].matches(of: start)
    for (index, match) in starts.enumerated() {
      let end = index + 1 < starts.count ? starts[index + 1].range.lowerBound : text.endIndex
      let name = String(match.output.name)
      var names = Self.names(in: text[match.range.upperBound..<end])
      if names.isEmpty, match.output.0.hasPrefix("example") { names = ofExamples }
      declarations[name] = names
    }
  }

  var targets: Set<String> { Set(declarations.keys) }

  func dependencies(of target: String) -> Set<String>? { declarations[target] }

  /// Returns the strings in `text` that name a target or a third-party module.
  private static func names(in text: Substring) -> Set<String> {
    let known = Set(Architecture.layers.keys).union(Architecture.owners.keys)
    let code = text.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("//") }.joined(
      separator: "\n")
    return Set(code.matches(of: #/"([\w-]+)"/#).map { String($0.output.1) }).intersection(known)
  }
}
