import Testing

@testable import HealthStorage

@Suite struct BusyPatienceTests {
  @Test func `a locked file is waited for as long as the patience lasts, and no pause goes beyond it`() {
    let patience = BusyPatience()
    patience.usual = .milliseconds(3)
    #expect(patience.wait(afterTries: 0) && patience.wait(afterTries: 1))
    #expect(!patience.wait(afterTries: 2))
    patience.usual = .zero
    #expect(!patience.wait(afterTries: 0))
  }

  @Test func `in a hurry, whoever has waited for a quarter of a second waits no longer`() {
    let patience = BusyPatience()
    patience.usual = .seconds(86_400)
    patience.isBrief = true
    #expect(patience.wait(afterTries: 0))
    #expect(!patience.wait(afterTries: 12))
    patience.isBrief = false
    #expect(patience.wait(afterTries: 12))
  }
}
