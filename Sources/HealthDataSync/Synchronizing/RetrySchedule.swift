/// Computes the delays between retries of an upload: a random time below an exponentially growing limit (full
/// jitter), so that many gateways do not return to a server at the same time.
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
    // Add a random time, so that not all gateways return exactly when the server allows it.
    case .passingAfter(let asked):
      min(max(asked, .zero), policy.longestAskedPause) + min(jitter, policy.firstPause)
    case .lasting: policy.longestPause
    }
  }

  private var greatest: Duration {
    var pause = policy.firstPause
    // Double repeatedly up to the limit, because multiplying by a power of two could overflow.
    for _ in 1..<max(failures, 1) where pause < policy.longestPause { pause += pause }
    return min(pause, policy.longestPause)
  }
}
