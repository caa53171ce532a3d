import Testing

@testable import BlueZ
@testable import Gateway
@testable import HealthStorage
@testable import hrgate

/// A run that is told to end has ended within two seconds: what its parts may take adds up to less.
@Suite struct EndingTests {
  @Test func `the limits of what an end waits for add up to less than two seconds`() {
    let policy = LivePolicy()
    // Beside each other: what bluetoothd holds is given back, and what is left is committed, of which an
    // attempt may be under way at the last moment.
    let gateway = max(BlueZCentral.lastPatience, policy.lastPatience + BusyPatience.brief)
    // Behind that the states are kept, then figures are derived where there is time, then the last words are
    // said.
    let states = gateway + BusyPatience.brief
    #expect(states <= LivePolicy.lastWork)
    // One figure that is begun at the last moment may wait for the store once. The destinations are looked
    // at before the other last words.
    let late = LivePolicy.lastWork + BusyPatience.brief
    #expect(Ending.patience(after: late) <= .milliseconds(200))
    #expect(Ending.limit <= .seconds(2) && late + Ending.least + Ending.least <= .seconds(2))
  }

  @Test func `who has a last word has it while there is time, and a moment in any case`() {
    #expect(Ending.patience(after: .zero) == .seconds(1))
    #expect(Ending.patience(after: .milliseconds(1450)) == .milliseconds(500))
    #expect(Ending.patience(after: .seconds(60)) == Ending.least)
    #expect(Ending().patience == .seconds(1))
  }
}
