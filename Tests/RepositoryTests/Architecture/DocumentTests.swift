import Foundation
import Testing

/// Checks the Markdown documents of the repository.
@Suite struct DocumentTests {
  /// Paths of all Markdown files, relative to the package: top level, `docs`, next to their subject, and
  /// documentation pages of the targets.
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
  func `every relative link of a document has a target`(document: String) throws {
    let place = SourceFile.root.appending(path: document)
    let text = try String(contentsOf: place, encoding: .utf8)
    for link in text.matches(of: #/\]\((?<path>[^)#:\s]+)(?:#[^)]*)?\)/#) {
      let target = place.deletingLastPathComponent().appending(path: String(link.output.path))
      #expect(FileManager.default.fileExists(atPath: target.standardized.path), "\(link.output.path)")
    }
  }

  /// ARCHITECTURE.md refers to some files by names of the form `Name+part`.
  @Test func `the files named by the architecture map exist`() throws {
    let map = try String(contentsOf: SourceFile.root.appending(path: "ARCHITECTURE.md"), encoding: .utf8)
    let named = Set(map.matches(of: #/`(?<file>\w+\+\w+)(?:\.swift)?`/#).map { String($0.output.file) })
    #expect(!named.isEmpty)
    let files = Set(
      SourceFile.all.map {
        URL(fileURLWithPath: $0.path).deletingPathExtension().lastPathComponent
      })
    #expect(named.subtracting(files) == [])
  }

  @Test func `the main documents are among the documents`() {
    for document in ["ARCHITECTURE.md", "HACKING.md", "CONTRIBUTING.md", "README.md", "docs/hrgate.md"] {
      #expect(Self.documents.contains(document))
    }
  }
}
