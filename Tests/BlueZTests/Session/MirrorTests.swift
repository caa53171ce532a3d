import Synchronization
import Testing

@testable import BlueZ

/// What waits for the tree to say something, on a clock that does not keep anybody waiting.
@Suite struct MirrorTests {
  private let clock = LeapingClock()

  private func informed() async -> Mirror {
    let mirror = Mirror()
    await mirror.apply(.snapshot([:]))
    return mirror
  }

  @Test func `a watch looks four times a second, and at its end`() async throws {
    let looks = Mutex(0)
    try await informed().watch(for: .milliseconds(1100), clock: clock) { _ in looks.withLock { $0 += 1 } }
    #expect(looks.withLock(\.self) == 6)
    #expect(clock.now == LeapingClock.Instant(sinceStart: .milliseconds(1100)))
  }

  @Test func `a watch ends with the daemon`() async throws {
    let mirror = await informed()
    await mirror.apply(.daemonVanished)
    await #expect(throws: BlueZUnavailable.daemonAbsent) {
      try await mirror.watch(for: .seconds(1), clock: clock) { _ in }
    }
  }

  @Test func `a question that is not answered in time has no answer`() async throws {
    let answer = try await informed().wait(upTo: .seconds(3600), clock: clock) { $0.adapters.first }
    #expect(answer == nil)
    #expect(clock.now == LeapingClock.Instant(sinceStart: .seconds(3600)))
  }

  @Test func `signals that were lost say nothing about the daemon`() async throws {
    let mirror = await informed()
    await mirror.apply(.signalsLost)
    #expect(try await mirror.holds(within: .seconds(3600)) { $0.adapters.isEmpty })
  }
}

/// A clock on which each sleep is over as soon as it has begun.
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
