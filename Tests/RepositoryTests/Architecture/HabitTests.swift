import Foundation
import Testing

/// Habits that the compiler does not know.
@Suite struct HabitTests {
  /// Lines of code that contain `text`, comments aside.
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

  @Test func `nothing is forced: bad input is normal input`() {
    for text in ["try!", "as!"] {
      #expect(lines(containing: text).map(place) == [])
    }
  }

  /// It traps on a name of one character.
  @Test func `nothing asks an NSString for the folder of a path`() {
    #expect(lines(containing: "NSString).deletingLastPathComponent").map(place) == [])
  }

  @Test func `nothing is left for later`() {
    for text in ["TODO", "FIXME", "not implemented", "unimplemented"] {
      #expect(lines(containing: text).map(place) == [])
    }
  }

  @Test func `whoever switches the checking of Sendable off says what protects the state`() {
    let declarations = lines(containing: "@unchecked Sendable").map { ($0, declaration(of: $0)) }
    let reasons = declarations.map { reason(above: $1, in: $0.file) }
    // One that refers to another class's reason names a class that gives one itself.
    let givers = Set(
      zip(declarations, reasons).compactMap { found, reason in
        reason?.hasPrefix("as for ") == false ? found.1.name : nil
      })
    for (found, reason) in zip(declarations.map(\.0), reasons) {
      #expect((reason?.count ?? 0) > 10, "\(place(found)): say it directly above, after \"// @unchecked: \"")
      if let other = reason?.wholeMatch(of: #/as for (\w+)\./#)?.output.1 {
        #expect(givers.contains(String(other)), "\(place(found)): \(other) gives no reason")
      }
    }
  }

  /// Where the type is declared whose conformance this line states; a long declaration stands on several
  /// lines.
  private func declaration(of found: (file: SourceFile, number: Int)) -> (number: Int, name: String) {
    for number in stride(from: found.number, through: max(0, found.number - 3), by: -1) {
      let line = found.file.lines[number]
      if let match = line.firstMatch(of: #/(?:class|struct|enum|actor|extension) (\w+)/#) {
        return (number, String(match.output.1))
      }
    }
    return (found.number, "")
  }

  /// What follows "@unchecked:" in the comment that stands directly above a declaration.
  private func reason(above declaration: (number: Int, name: String), in file: SourceFile) -> String? {
    let above = file.lines[..<declaration.number].reversed().map { $0.drop(while: \.isWhitespace) }
      .prefix { $0.hasPrefix("//") || $0.hasPrefix("@") }
    return above.lazy.compactMap { $0.firstMatch(of: #/^\/\/\/? `?@unchecked`?: (.+)/#) }.first
      .map { String($0.output.1) }
  }

  /// What Swift imports from Objective-C is of before its concurrency; so a client may not be asked for more.
  @Test func `a handler of HealthKit's is Sendable as Apple's imported headers have it`() {
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

  @Test func `no detached task: work has an owner that waits for it`() {
    #expect(lines(containing: "Task.detached").map(place) == [])
  }

  @Test func `libraries print nothing`() {
    let printing = lines(containing: "print(").filter { !Architecture.executables.contains($0.file.target) }
    #expect(printing.map(place) == [])
  }

  @Test func `one file of the libraries writes to standard error, for a program that waits for its user`() {
    let writing = ["STDERR_FILENO", "standardError", "/dev/tty"].flatMap {
      lines(containing: $0).filter {
        !Architecture.executables.contains($0.file.target) && $0.file.target != "TerminalEvents"
          // A child's is another.
          && !$0.file.lines[$0.number].contains("posix_spawn_file_actions")
      }
    }
    #expect(Set(writing.map { "\($0.file)" }).count == 1)
    #expect(writing.allSatisfy { "\($0.file)".contains("WaitingNotice") })
  }

  @Test func `the limit of time of a test only ends what hangs`() {
    let limits = SourceFile.tests.flatMap { file in
      file.lines.filter { $0.contains(".timeLimit(") && !$0.contains(".timeLimit(.minutes(30))") }
        .map { "\(file): \($0)" }
    }
    #expect(limits == [])
  }
}
