import Foundation

/// The language modes of Swift in which the client is compiled.
enum LanguageMode: Int, CaseIterable, CustomStringConvertible {
  case five = 5
  case six = 6

  var description: String { "Swift \(rawValue)" }
}

/// The output of the compiler for the client, and the compiled program.
struct Compilation {
  let status: Int32
  let output: String
  let program: URL

  /// A diagnostic of the compiler for one line.
  struct Diagnostic: Hashable, CustomStringConvertible {
    let file: String
    let line: Int
    let kind: String
    let message: String

    var description: String { "\(file):\(line): \(kind): \(message)" }
  }

  var diagnostics: Set<Diagnostic> {
    // The lines that follow a diagnostic repeat it together with the source.
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
  /// Returns the warnings that a page expects. A comment `// Swift 6 warns: …` above a line contains the
  /// beginning of the warning. A line may have several comments.
  static func expected(of source: URL, in mode: LanguageMode) throws -> [Diagnostic] {
    let lines = try String(contentsOf: source, encoding: .utf8).split(
      separator: "\n", omittingEmptySubsequences: false)
    return lines.enumerated().compactMap { index, line in
      guard let range = line.range(of: "// \(mode) warns: ") else { return nil }
      let comments = lines[index...].prefix { $0.contains(" warns: ") }
      // The line after the comments, counted from 1.
      return Diagnostic(
        file: source.lastPathComponent, line: comments.endIndex + 1, kind: "warning",
        message: String(line[range.upperBound...]))
    }
  }
}
