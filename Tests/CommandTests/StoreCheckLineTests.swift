import Testing

@testable import HealthSystem
@testable import hrgate

/// Tests the text of a store check.
@Suite struct StoreCheckLineTests {
  private func text(_ tables: [StoreCare.Report.Table]) -> String {
    let finding = StoreCare.Report.Finding(kind: "file", text: "a page is torn", count: 1)
    let report = StoreCare.Report(findings: [finding], tables: tables, size: nil)
    return StoreCheckLine(store: "s.sqlite", report).text
  }

  @Test func `if no data can be recovered, only a backup is advised`() {
    let report = text([])
    #expect(report.contains("no data can be recovered") && report.contains("store restore"))
    #expect(!report.contains("store recover"))
    let some = text([.init(name: "sample", rows: 3, isWhole: true, holes: [])])
    #expect(some.contains("store restore") && some.contains("store recover"))
  }

  @Test func `of many unreadable ranges some are listed and the rest are counted`() {
    func report(_ count: Int, further: Int) -> String {
      let holes = (1...count).map { StoreCare.Report.Table.Hole(first: Int64($0) * 10, next: nil) }
      return text([.init(name: "sample", rows: 3, isWhole: false, holes: holes, furtherHoles: further)])
    }
    #expect(!report(20, further: 0).contains("other range"))
    #expect(report(21, further: 0).contains("unreadable: 1 other range; see --json\n"))
    #expect(
      report(1000, further: 7).contains(
        "unreadable: 987 other ranges; see --json, which lists all but 7\n"))
  }
}
