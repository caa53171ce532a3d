import Foundation
import Testing

/// The documents of the repository.
@Suite struct DocumentTests {
  /// By their paths below the package: at the top, in `docs`, beside what they are about, and the pages of
  /// the targets.
  private static let documents: [String] = {
    let folders = [
      "docs", "Data", "Recordings", "Examples", "Sources", "Benchmarks", "packaging", "scripts/bluez-vm",
      "udev",
    ]
    let below = folders.flatMap { folder in
      let names = FileManager.default.enumerator(atPath: SourceFile.root.appending(path: folder).path)
      return names?.compactMap { ($0 as? String).map { "\(folder)/\($0)" } } ?? []
    }
    let top = (try? FileManager.default.contentsOfDirectory(atPath: SourceFile.root.path)) ?? []
    return (top + below).filter { $0.hasSuffix(".md") && !$0.contains("/.build/") }.sorted()
  }()

  @Test(arguments: documents)
  func `what a document links to is there`(document: String) throws {
    let place = SourceFile.root.appending(path: document)
    let text = try String(contentsOf: place, encoding: .utf8)
    for link in text.matches(of: #/\]\((?<path>[^)#:\s]+)(?:#[^)]*)?\)/#) {
      let target = place.deletingLastPathComponent().appending(path: String(link.output.path))
      #expect(FileManager.default.fileExists(atPath: target.standardized.path), "\(link.output.path)")
    }
  }

  /// A file that holds a part of a type, `Name+part`.
  @Test func `the files that the map names are there`() throws {
    let map = try String(contentsOf: SourceFile.root.appending(path: "ARCHITECTURE.md"), encoding: .utf8)
    let named = Set(map.matches(of: #/`(?<file>\w+\+\w+)(?:\.swift)?`/#).map { String($0.output.file) })
    #expect(!named.isEmpty)
    let files = Set(
      SourceFile.all.map {
        URL(fileURLWithPath: $0.path).deletingPathExtension().lastPathComponent
      })
    #expect(named.subtracting(files) == [])
  }

  @Test func `the map, the manual and the rules are among them`() {
    for document in ["ARCHITECTURE.md", "HACKING.md", "CONTRIBUTING.md", "README.md", "docs/hrgate.md"] {
      #expect(Self.documents.contains(document))
    }
  }
}
