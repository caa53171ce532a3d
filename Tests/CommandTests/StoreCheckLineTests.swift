import Testing

@testable import HealthSystem
@testable import hrgate

/// What a person is told of a damaged store.
@Suite struct StoreCheckLineTests {
  private func text(_ tables: [StoreCare.Report.Table]) -> String {
    let finding = StoreCare.Report.Finding(kind: "file", text: "a page is torn", count: 1)
    let report = StoreCare.Report(findings: [finding], tables: tables, size: nil)
    return StoreCheckLine(store: "s.sqlite", report).text
  }

  @Test func `where nothing can be saved, a backup alone is advised`() {
    let told = text([])
    #expect(told.contains("nothing can be saved") && told.contains("store restore"))
    #expect(!told.contains("store recover"))
    let some = text([.init(name: "sample", rows: 3, isWhole: true, holes: [])])
    #expect(some.contains("store restore") && some.contains("store recover"))
  }
}
