/// How long to wait after a failure: exponentially longer, with full jitter, so that many gateways do not
/// come back to a server at the same time.
struct RetrySchedule {
  private let policy: SyncPolicy
  /// How many attempts in a row have failed.
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
    // Not all at the very moment that the server named.
    case .passingAfter(let asked):
      min(max(asked, .zero), policy.longestAskedPause) + min(jitter, policy.firstPause)
    case .lasting: policy.longestPause
    }
  }

  private var greatest: Duration {
    var pause = policy.firstPause
    // Not by a power of two: what that makes of a policy's pause may be more than a duration holds.
    for _ in 1..<max(failures, 1) where pause < policy.longestPause { pause += pause }
    return min(pause, policy.longestPause)
  }
}
