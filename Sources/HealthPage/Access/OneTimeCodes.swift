import Synchronization

/// One-time codes that open a session: each works once, within a minute.
///
/// A code is part of an address, which can appear in a terminal, a history, or another user's process list.
/// The key of the session that it is exchanged for appears in none of them.
final class OneTimeCodes: Sendable {
  /// How long a code is valid.
  static let validity = Duration.seconds(60)
  /// Maximum number of valid codes. The oldest is dropped.
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

  /// Checks a code and removes it, even if it has expired.
  /// - Returns: Whether the code is valid.
  func redeem(_ guess: String) -> Bool {
    let now = now()
    return codes.withLock { codes in
      guard let place = codes.firstIndex(where: { $0.code.matches(guess) }) else { return false }
      return now < codes.remove(at: place).end
    }
  }
}
