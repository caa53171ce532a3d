import Testing

@testable import BlueZ
@testable import Gateway
@testable import HealthStorage
@testable import hrgate

/// Tests that a cancelled run ends within two seconds, by adding up the timeouts of its parts.
@Suite struct EndingTests {
  @Test func `the timeouts of an end add up to less than two seconds`() {
    let policy = LivePolicy()
    // bluetoothd releases the gateway's resources while the pending samples are committed. A commit may start
    // at the last moment.
    let gateway = max(BlueZCentral.finalTimeout, policy.finalTimeout + BusyTimeout.brief)
    // After that the states of the monitors are stored, then figures are derived if there is time, then the
    // last events are printed.
    let states = gateway + BusyTimeout.brief
    #expect(states <= LivePolicy.lastWork)
    // A derivation that starts at the last moment may wait for the store once. After it come two outputs,
    // each with its minimum timeout: the destinations, and the last events.
    let late = LivePolicy.lastWork + BusyTimeout.brief
    #expect(Ending.timeout(after: late) <= .milliseconds(200))
    #expect(Ending.limit <= .seconds(2) && late + Ending.least + Ending.least <= .seconds(2))
  }

  @Test func `the last output gets the remaining time, and a minimum in any case`() {
    #expect(Ending.timeout(after: .zero) == .seconds(1))
    #expect(Ending.timeout(after: .milliseconds(1450)) == .milliseconds(500))
    #expect(Ending.timeout(after: .seconds(60)) == Ending.least)
    #expect(Ending().timeout == .seconds(1))
  }
}
