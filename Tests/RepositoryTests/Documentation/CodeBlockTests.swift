import Foundation
import Testing

/// Checks that the code in the documents is compiled, and run if possible: each block also occurs in a file
/// of this target.
@Suite struct CodeBlockTests {
  private static let package = URL(filePath: #filePath).appending(path: "../../../..").standardized

  private static let blocks: [CodeBlock] = {
    let folder = package.appending(path: "Sources/HealthKit/Documentation.docc")
    let pages = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    let documents = (pages ?? []) + [package.appending(path: "docs/swift.md")]
    return documents.flatMap { (try? CodeBlock.all(in: $0)) ?? [] }
  }()

  /// The normalized lines of the files next to this one.
  private static let programs: [[String]] = {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let files = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    return (files ?? []).compactMap { try? String(contentsOf: $0, encoding: .utf8) }.map {
      CodeBlock.normalized($0.split(separator: "\n"))
    }
  }()

  @Test func `every page that shows code has code blocks`() {
    let documents = Set(Self.blocks.map(\.document))
    #expect(
      documents == [
        "swift.md", "HealthKit.md", "Permission.md", "GettingStarted.md", "Saving.md", "Querying.md",
        "Statistics.md", "Series.md", "Testing.md",
      ])
  }

  @Test(arguments: blocks)
  func `every code block of a document is compiled verbatim`(block: CodeBlock) {
    #expect(!block.lines.isEmpty)
    #expect(Self.programs.contains { !$0.ranges(of: block.lines).isEmpty })
  }
}
