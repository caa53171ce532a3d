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
    // Beyond sixty doublings everything is longer than the longest.
    min(policy.firstPause * Double(1 << min(failures - 1, 60)), policy.longestPause)
  }
}
