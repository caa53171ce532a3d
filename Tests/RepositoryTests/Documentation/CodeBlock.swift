import Foundation
import Testing

/// A block of Swift code in a document or in a docstring.
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
    return all(in: text.split(separator: "\n", omittingEmptySubsequences: false), of: document)
  }

  /// Returns the blocks in the docstrings of a source file.
  static func all(inDocstringsOf source: URL) throws -> [CodeBlock] {
    let text = try String(contentsOf: source, encoding: .utf8)
    let docstrings = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      let code = line.drop { $0 == " " }
      return code.hasPrefix("///") ? code.dropFirst(3).drop { $0 == " " } : ""
    }
    return all(in: docstrings, of: source)
  }

  private static func all(in lines: [Substring], of document: URL) -> [CodeBlock] {
    var blocks: [CodeBlock] = []
    var open: (line: Int, lines: [Substring])?
    for (index, line) in lines.enumerated() {
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
