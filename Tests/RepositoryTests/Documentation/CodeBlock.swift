import Foundation
import Testing

/// A block of Swift code in a document.
struct CodeBlock: CustomTestStringConvertible {
  let document: String
  /// Line number in the document, from 1.
  let line: Int
  /// Normalized lines: without indentation, empty lines and imports.
  let lines: [String]

  var testDescription: String { "\(document):\(line)" }

  static func normalized(_ lines: some Sequence<Substring>) -> [String] {
    lines.map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty && !$0.hasPrefix("import ") }
  }

  /// Returns the blocks of a document between "```swift" and "```".
  static func all(in document: URL) throws -> [CodeBlock] {
    let text = try String(contentsOf: document, encoding: .utf8)
    var blocks: [CodeBlock] = []
    var open: (line: Int, lines: [Substring])?
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if line == "```swift" {
        open = (index + 1, [])
      } else if line == "```", let block = open {
        blocks.append(
          CodeBlock(
            document: document.lastPathComponent, line: block.line, lines: normalized(block.lines)))
        open = nil
      } else {
        open?.lines.append(line)
      }
    }
    return blocks
  }
}
