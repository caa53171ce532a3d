import Testing

@testable import HealthStorage

@Suite struct BusyTimeoutTests {
  @Test func `a wait for a locked file ends at the timeout, and no pause exceeds it`() {
    let timeout = BusyTimeout()
    timeout.usual = .milliseconds(3)
    #expect(timeout.wait(afterTries: 0) && timeout.wait(afterTries: 1))
    #expect(!timeout.wait(afterTries: 2))
    timeout.usual = .zero
    #expect(!timeout.wait(afterTries: 0))
  }

  @Test func `in brief mode, a wait ends after a quarter of a second`() {
    let timeout = BusyTimeout()
    timeout.usual = .seconds(86_400)
    timeout.isBrief = true
    #expect(timeout.wait(afterTries: 0))
    #expect(!timeout.wait(afterTries: 12))
    timeout.isBrief = false
    #expect(timeout.wait(afterTries: 12))
  }
}
