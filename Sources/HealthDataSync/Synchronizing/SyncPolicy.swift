/// The page sizes and delays of a synchronizer.
public struct SyncPolicy: Hashable, Sendable {
  /// Maximum number of samples and deletions in a page.
  public var pageCount = 10_000
  /// Approximate memory of a page in bytes. Two pages are in memory at a time.
  public var pageBytes = 2 << 20
  /// The time during which live changes are collected before they are sent.
  public var liveInterval: Duration = .milliseconds(500)
  /// Maximum delay before the second attempt. It doubles for each further attempt.
  public var firstPause: Duration = .milliseconds(500)
  /// Upper limit of the delay, and the delay after an error that requires the user to act.
  public var longestPause: Duration = .seconds(300)
  /// Maximum delay that a server can ask for.
  public var longestAskedPause: Duration = .seconds(3600)
  /// Delay before a dead-letter record is retried. It doubles after each attempt.
  public var firstPauseOfSetAside: Duration = .seconds(300)
  /// Upper limit of the delay before a dead-letter record is retried.
  public var longestPauseOfSetAside: Duration = .seconds(24 * 3600)
  /// Number of consecutive failed attempts after which `runOnce()` gives up.
  public var attemptsOfOneRun = 5
  /// Interval at which `run()` checks whether another process still sends to the destination.
  public var leaseInterval: Duration = .seconds(5)

  public init() {}
}

/// The delay after each error. It grows exponentially with full jitter, so that many gateways do not return
/// to a server at the same time.
struct RetrySchedule {
  private let policy: SyncPolicy
  /// The number of consecutive failed attempts.
  private(set) var failures = 0

  init(_ policy: SyncPolicy) {
    self.policy = policy
  }

  mutating func succeeded() { failures = 0 }

  mutating func pause(
    after outlook: ExternalStoreError.Outlook, using generator: inout some RandomNumberGenerator
  ) -> Duration {
    failures += 1
    let jitter = greatest * Double.random(in: 0...1, using: &generator)
    return switch outlook {
    case .passing: jitter
    // Add jitter, so that not all gateways return at the time that the server named.
    case .passingAfter(let asked):
      min(max(asked, .zero), policy.longestAskedPause) + min(jitter, policy.firstPause)
    case .lasting: policy.longestPause
    }
  }

  private var greatest: Duration {
    var pause = policy.firstPause
    // Repeated addition cannot overflow, but a power of two times the policy's pause could.
    for _ in 1..<max(failures, 1) where pause < policy.longestPause { pause += pause }
    return min(pause, policy.longestPause)
  }
}
