import Synchronization

/// One-time codes that open a browser session. Each code works once and expires after a minute.
///
/// A code is part of a URL, which others may see in a terminal, a browser history or the process list. The
/// browser exchanges it for the session key, which appears in none of these.
final class OneTimeCodes: Sendable {
  /// How long a code is valid.
  static let validity = Duration.seconds(60)
  /// Maximum number of valid codes. If there are more, the oldest one becomes invalid.
  private static let most = 16

  private let codes = Mutex<[(code: Secret, end: ContinuousClock.Instant)]>([])
  private let now: @Sendable () -> ContinuousClock.Instant

  init(now: @escaping @Sendable () -> ContinuousClock.Instant) { self.now = now }

  /// Returns a new code.
  func issue() -> String {
    let code = Secret()
    let end = now() + Self.validity
    codes.withLock { codes in
      codes.append((code, end))
      if codes.count > Self.most { codes.removeFirst() }
    }
    return code.text
  }

  /// Checks a code. A code can never be used again after this call.
  /// - Returns: Whether the code is valid.
  func redeem(_ guess: String) -> Bool {
    let now = now()
    return codes.withLock { codes in
      guard let place = codes.firstIndex(where: { $0.code.matches(guess) }) else { return false }
      return now < codes.remove(at: place).end
    }
  }
}
