import Testing

@testable import HealthStorage

@Suite struct BusyPatienceTests {
  @Test func `a wait for a locked file ends at the timeout, and no pause exceeds it`() {
    let patience = BusyPatience()
    patience.usual = .milliseconds(3)
    #expect(patience.wait(afterTries: 0) && patience.wait(afterTries: 1))
    #expect(!patience.wait(afterTries: 2))
    patience.usual = .zero
    #expect(!patience.wait(afterTries: 0))
  }

  @Test func `in brief mode, a wait ends after a quarter of a second`() {
    let patience = BusyPatience()
    patience.usual = .seconds(86_400)
    patience.isBrief = true
    #expect(patience.wait(afterTries: 0))
    #expect(!patience.wait(afterTries: 12))
    patience.isBrief = false
    #expect(patience.wait(afterTries: 12))
  }
}
