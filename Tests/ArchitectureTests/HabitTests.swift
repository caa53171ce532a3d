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

  @Test func `nothing is left for later`() {
    for text in ["TODO", "FIXME", "not implemented", "unimplemented"] {
      #expect(lines(containing: text).map(place) == [])
    }
  }

  @Test func `whoever switches the checking of Sendable off says what protects the state`() {
    for found in lines(containing: "@unchecked Sendable") {
      let before = found.file.lines[max(0, found.number - 8)...found.number]
      #expect(before.contains { $0.contains("//") }, "\(place(found))")
    }
  }

  @Test func `no detached task: work has an owner that waits for it`() {
    #expect(lines(containing: "Task.detached").map(place) == [])
  }

  @Test func `libraries print nothing`() {
    let printing = lines(containing: "print(").filter { !Architecture.executables.contains($0.file.target) }
    #expect(printing.map(place) == [])
  }

  @Test func `every file of a library documents what it offers`() {
    for file in SourceFile.all
    where file.lines.contains(where: { $0.hasPrefix("public ") && !$0.contains("import") }) {
      #expect(file.lines.contains { $0.hasPrefix("///") || $0.hasPrefix("// ") }, "\(file)")
    }
  }

  @Test func `the limit of time of a test only ends what hangs`() {
    let limits = SourceFile.tests.flatMap { file in
      file.lines.filter { $0.contains(".timeLimit(") && !$0.contains(".timeLimit(.minutes(10))") }
        .map { "\(file): \($0)" }
    }
    #expect(limits == [])
  }
}
