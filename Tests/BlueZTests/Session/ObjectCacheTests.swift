import Synchronization
import Testing

@testable import BlueZ

/// Tests waiting for changes of the object tree, with a clock that does not delay the test.
@Suite struct ObjectCacheTests {
  private let clock = LeapingClock()

  private func informed() async -> ObjectCache {
    let objectCache = ObjectCache()
    await objectCache.apply(.snapshot([:]))
    return objectCache
  }

  @Test func `watching reports four times a second, and at its end`() async throws {
    let looks = Mutex(0)
    try await informed().watch(for: .milliseconds(1100), clock: clock) { _ in looks.withLock { $0 += 1 } }
    #expect(looks.withLock(\.self) == 6)
    #expect(clock.now == LeapingClock.Instant(sinceStart: .milliseconds(1100)))
  }

  @Test func `watching ends with bluetoothd`() async throws {
    let objectCache = await informed()
    await objectCache.apply(.daemonVanished)
    await #expect(throws: BlueZUnavailableError.daemonAbsent) {
      try await objectCache.watch(for: .seconds(1), clock: clock) { _ in }
    }
  }

  @Test func `a question without an answer in time returns nil`() async throws {
    let answer = try await informed().wait(upTo: .seconds(3600), clock: clock) { $0.adapters.first }
    #expect(answer == nil)
    #expect(clock.now == LeapingClock.Instant(sinceStart: .seconds(3600)))
  }

  @Test func `lost signals do not mean that bluetoothd has exited`() async throws {
    let objectCache = await informed()
    await objectCache.apply(.signalsLost)
    #expect(try await objectCache.holds(within: .seconds(3600)) { $0.adapters.isEmpty })
  }
}

/// A clock on which each sleep ends immediately.
private final class LeapingClock: Clock {
  struct Instant: InstantProtocol {
    var sinceStart: Duration

    func advanced(by duration: Duration) -> Self { Self(sinceStart: sinceStart + duration) }
    func duration(to other: Self) -> Duration { other.sinceStart - sinceStart }
    static func < (lhs: Self, rhs: Self) -> Bool { lhs.sinceStart < rhs.sinceStart }
  }

  private let time = Mutex(Instant(sinceStart: .zero))

  var now: Instant { time.withLock(\.self) }
  var minimumResolution: Duration { .zero }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    time.withLock { $0 = max($0, deadline) }
  }
}
