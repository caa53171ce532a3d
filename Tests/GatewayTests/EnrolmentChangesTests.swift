import HealthStorage
import Synchronization
import Testing

@testable import Gateway
@testable import TestSupport

@Suite(.timeLimit(.minutes(30))) struct EnrolmentChangesTests {
  private struct UnreadableError: Error {}

  @Test func `a failed read is retried on the timer, not only after the next commit`() async throws {
    let strap = AddressRecord(text: "C0:FF:EE:00:00:01", kind: 1)
    let reads = Mutex<[Result<[AddressRecord: Int], UnreadableError>]>([
      .success([:]), .failure(UnreadableError()), .success([strap: 0]),
    ])
    let (ticks, tick) = AsyncStream.makeStream(of: Void.self)
    let clock = ManualClock()
    let changes = try await EnrolmentChanges(ticks: ticks, clock: clock) {
      try reads.withLock { $0.removeFirst() }.get()
    }
    async let change: Void? = changes.first { true }
    tick.yield()
    await clock.sleepers(1)
    clock.advance(by: .seconds(5))
    #expect(await change != nil)
  }
}
