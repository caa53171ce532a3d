import Foundation
import Testing

/// Coding rules that the compiler does not check.
@Suite struct HabitTests {
  /// Returns the lines of code that contain `text`, without comment lines.
  private func lines(containing text: String) -> [(file: SourceFile, number: Int)] {
    SourceFile.all.flatMap { file in
      file.lines.enumerated().filter { _, line in
        line.contains(text) && !line.drop(while: \.isWhitespace).hasPrefix("//")
      }.map { (file, $0.offset) }
    }
  }

  private func place(_ found: (file: SourceFile, number: Int)) -> String {
    "\(found.file):\(found.number + 1)"
  }

  @Test func `nothing is force-tried or force-cast: bad input is normal input`() {
    for text in ["try!", "as!"] {
      #expect(lines(containing: text).map(place) == [])
    }
  }

  /// `NSString.deletingLastPathComponent` traps if the path is a single character.
  @Test func `nothing asks an NSString for the folder of a path`() {
    #expect(lines(containing: "NSString).deletingLastPathComponent").map(place) == [])
  }

  @Test func `nothing is left unfinished`() {
    for text in ["TODO", "FIXME", "not implemented", "unimplemented"] {
      #expect(lines(containing: text).map(place) == [])
    }
  }

  @Test func `every @unchecked Sendable has a comment that says what protects the state`() {
    let declarations = lines(containing: "@unchecked Sendable").map { ($0, declaration(of: $0)) }
    let reasons = declarations.map { reason(above: $1, in: $0.file) }
    // A reason may refer to another class with "as for X.". That class must state its own reason.
    let givers = Set(
      zip(declarations, reasons).compactMap { found, reason in
        reason?.hasPrefix("as for ") == false ? found.1.name : nil
      })
    for (found, reason) in zip(declarations.map(\.0), reasons) {
      #expect((reason?.count ?? 0) > 10, "\(place(found)): give the reason above, after \"// @unchecked: \"")
      if let other = reason?.wholeMatch(of: #/as for (\w+)\./#)?.output.1 {
        #expect(givers.contains(String(other)), "\(place(found)): \(other) gives no reason")
      }
    }
  }

  /// Returns the line and name of the type whose conformance is on the given line. A declaration can span
  /// several lines.
  private func declaration(of found: (file: SourceFile, number: Int)) -> (number: Int, name: String) {
    for number in stride(from: found.number, through: max(0, found.number - 3), by: -1) {
      let line = found.file.lines[number]
      if let match = line.firstMatch(of: #/(?:class|struct|enum|actor|extension) (\w+)/#) {
        return (number, String(match.output.1))
      }
    }
    return (found.number, "")
  }

  /// Returns the text after "@unchecked:" in the comment directly above a declaration.
  private func reason(above declaration: (number: Int, name: String), in file: SourceFile) -> String? {
    let above = file.lines[..<declaration.number].reversed().map { $0.drop(while: \.isWhitespace) }
      .prefix { $0.hasPrefix("//") || $0.hasPrefix("@") }
    return above.lazy.compactMap { $0.firstMatch(of: #/^\/\/\/? `?@unchecked`?: (.+)/#) }.first
      .map { String($0.output.1) }
  }

  /// Apple's imported headers predate Swift concurrency, so a client must not get stricter `Sendable` errors
  /// here.
  @Test func `a HealthKit handler is Sendable as in Apple's imported headers`() {
    let declaration =
      #/^\s*(public|open) ((override|convenience|class|static|required|final) )*(func|init|var)\b/#
    for file in SourceFile.all where file.target == "HealthKit" {
      for (number, line) in file.lines.enumerated() where line.contains(declaration) {
        let signature = file.lines[number...].prefix(14).joined(separator: "\n").prefix { $0 != "{" }
        guard signature.contains(#/@Sendable|@escaping \w*Handler\b|: \w+Handler\?/#) else { continue }
        let above = file.lines[..<number].reversed().prefix { $0.contains(#/^\s*@/#) }
        #expect(above.contains { $0.contains("@preconcurrency") }, "\(file):\(number + 1)")
      }
    }
  }

  @Test func `no detached task: every task has an owner that waits for it`() {
    #expect(lines(containing: "Task.detached").map(place) == [])
  }

  @Test func `libraries print nothing`() {
    let printing = lines(containing: "print(").filter { !Architecture.executables.contains($0.file.target) }
    #expect(printing.map(place) == [])
  }

  @Test func `one library file writes to standard error, for a program that waits for its user`() {
    let writing = ["STDERR_FILENO", "standardError", "/dev/tty"].flatMap {
      lines(containing: $0).filter {
        !Architecture.executables.contains($0.file.target) && $0.file.target != "TerminalEvents"
          // This redirects the standard error of a child process.
          && !$0.file.lines[$0.number].contains("posix_spawn_file_actions")
      }
    }
    #expect(Set(writing.map { "\($0.file)" }).count == 1)
    #expect(writing.allSatisfy { "\($0.file)".contains("WaitingNotice") })
  }

  @Test func `a test's time limit is the same everywhere and only ends hangs`() {
    let limits = SourceFile.tests.flatMap { file in
      file.lines.filter { $0.contains(".timeLimit(") && !$0.contains(".timeLimit(.minutes(30))") }
        .map { "\(file): \($0)" }
    }
    #expect(limits == [])
  }
}
