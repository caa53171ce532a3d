import Dispatch
import Glibc
import Testing

@testable import TestSupport
@testable import hrgate

@Suite struct LiveTableTests {
  @Test func `lines beyond the terminal height are counted, and the last row is kept for the cursor`() {
    let lines = (1...5).map { "line \($0)" }
    #expect(TerminalSize(rows: 6, columns: 80).clip(lines) == lines)
    #expect(
      TerminalSize(rows: 5, columns: 80).clip(lines) == ["line 1", "line 2", "line 3", "… and 2 more lines"])
    #expect(TerminalSize(rows: 2, columns: 80).clip(lines) == ["… and 5 more lines"])
    #expect(TerminalSize(rows: 1, columns: 7).clip(lines) == ["… and 5"])
    #expect(TerminalSize(rows: 5, columns: 80).clip([]) == [])
  }

  @Test(arguments: [
    ("Polar H10", 9), ("心拍計", 6), ("심박", 4), ("é", 1), ("e\u{301}", 1), ("❤️", 2), ("😀", 2), ("", 0),
    ("ﾊｰﾄ", 3), ("ＨＲ", 4), ("…", 1),
  ])
  func `the width of text is that of the terminal`(text: String, columns: Int) {
    #expect(text.columns == columns)
    #expect(text.prefix(columns: columns) == text)
    #expect(columns == 0 || text.prefix(columns: columns - 1).columns < columns)
  }

  @Test func `a line is cut before a character that does not fit, and columns are aligned`() {
    #expect("心拍計".prefix(columns: 5) == "心拍")
    #expect(TextTable.lines([["心拍計", "a"], ["H10", "b"]]) == ["心拍計  a", "H10     b"])
  }

  @Test func `columns of numbers are right-aligned`() {
    #expect(TextTable.lines([["a", "N"], ["b", "100"]], right: [1]) == ["a    N", "b  100"])
    #expect(TextTable.columns([["a", "N"], ["b", "100"]]) == 6)
  }

  @Test(arguments: [(24, 30), (24, 111), (6, 40), (40, 80)])
  func `after a resize the lines are shown once, with the new width`(rows: Int, columns: Int)
    async throws
  {
    let terminal = try Terminal(rows: 24, columns: 80)
    let content = { @Sendable (size: TerminalSize) in
      (1...3).map { String("line \($0) \(String(repeating: "x", count: 200))".prefix(size.columns)) }
    }
    let table = LiveTable(isVisible: true, to: terminal.slave)
    func shows(_ lines: [String], asking: () -> Void = {}) async throws -> Bool {
      await eventually {
        asking()
        terminal.look()
        return terminal.shown == lines
      }
    }
    table.show(content)
    #expect(try await shows(content(TerminalSize(rows: 24, columns: 80))))
    terminal.resize(rows: rows, columns: columns)
    // The kernel sends SIGWINCH to a program whose terminal changes size. Nothing else redraws the table
    // here.
    let resized = content(TerminalSize(rows: rows, columns: columns))
    #expect(try await shows(resized) { kill(getpid(), SIGWINCH) })
    table.show { _ in ["one"] }
    #expect(try await shows(["one"]))
    try table.end(within: .seconds(1500))
  }

  @Test func `lines for another terminal size are not rewritten in place`() {
    let (narrow, wide) = (TerminalSize(rows: 24, columns: 60), TerminalSize(rows: 24, columns: 80))
    #expect(narrow.rewriting([], of: nil, as: ["a"]) == "\r\u{1B}[Ka\n\u{1B}[J")
    #expect(narrow.rewriting(["a", "b"], of: narrow, as: ["c"]) == "\u{1B}[2A\r\u{1B}[Kc\n\u{1B}[J")
    #expect(narrow.rewriting(["a", "b"], of: wide, as: ["c"]) == "\u{1B}[H\u{1B}[2J\r\u{1B}[Kc\n\u{1B}[J")
  }
}
