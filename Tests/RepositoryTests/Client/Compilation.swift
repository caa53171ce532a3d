import Foundation

/// What the compiler said of the client, and what it made.
struct Compilation {
  let status: Int32
  let output: String
  let program: URL

  /// What the compiler has to say of a line.
  struct Diagnostic: Hashable, CustomStringConvertible {
    let file: String
    let line: Int
    let kind: String
    let message: String

    var description: String { "\(file):\(line): \(kind): \(message)" }
  }

  var diagnostics: Set<Diagnostic> {
    // Older lines say the same again, with the source.
    Set(
      output.split(separator: "\n").compactMap { line in
        guard
          let match = line.wholeMatch(
            of: #/\/.*\/(?<file>[^\/:]+):(?<line>\d+):\d+: (?<kind>error|warning): (?<message>.*)/#),
          let number = Int(match.line)
        else { return nil }
        return Diagnostic(
          file: String(match.file), line: number, kind: String(match.kind), message: String(match.message))
      })
  }
}

extension Compilation {
  /// What a page says that the compiler will say of it: a comment `// Swift 6 warns: …` stands above the
  /// line, with the beginning of the warning. A line may have several.
  static func expected(of source: URL, in mode: LanguageMode) throws -> [Diagnostic] {
    let lines = try String(contentsOf: source, encoding: .utf8).split(
      separator: "\n", omittingEmptySubsequences: false)
    return lines.enumerated().compactMap { index, line in
      guard let range = line.range(of: "// \(mode) warns: ") else { return nil }
      let comments = lines[index...].prefix { $0.contains(" warns: ") }
      // The line after these, counted from one.
      return Diagnostic(
        file: source.lastPathComponent, line: comments.endIndex + 1, kind: "warning",
        message: String(line[range.upperBound...]))
    }
  }
}
