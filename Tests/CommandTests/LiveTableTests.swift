import Testing

@testable import hrgate

@Suite struct LiveTableTests {
  @Test func `more lines than the terminal has rows are counted, and the last row is the cursor's`() {
    let lines = (1...5).map { "line \($0)" }
    #expect(TerminalSize(rows: 6, columns: 80).clip(lines) == lines)
    #expect(
      TerminalSize(rows: 5, columns: 80).clip(lines) == ["line 1", "line 2", "line 3", "… and 2 more"])
    #expect(TerminalSize(rows: 2, columns: 80).clip(lines) == ["… and 5 more"])
    #expect(TerminalSize(rows: 1, columns: 7).clip(lines) == ["… and 5"])
    #expect(TerminalSize(rows: 5, columns: 80).clip([]) == [])
  }

  @Test(arguments: [
    ("Polar H10", 9), ("心拍計", 6), ("심박", 4), ("é", 1), ("e\u{301}", 1), ("❤️", 2), ("😀", 2), ("", 0),
    ("ﾊｰﾄ", 3), ("ＨＲ", 4), ("…", 1),
  ])
  func `text is as wide as a terminal shows it`(text: String, columns: Int) {
    #expect(text.columns == columns)
    #expect(text.prefix(columns: columns) == text)
    #expect(columns == 0 || text.prefix(columns: columns - 1).columns < columns)
  }

  @Test func `a line is cut before a character that has no room, and columns stand under one another`() {
    #expect("心拍計".prefix(columns: 5) == "心拍")
    #expect(TextTable.lines([["心拍計", "a"], ["H10", "b"]]) == ["心拍計  a", "H10     b"])
  }
}
