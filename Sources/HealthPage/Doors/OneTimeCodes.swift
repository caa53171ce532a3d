import Synchronization

/// The codes with which a browser gets in for the first time: each opens once, and not for long.
///
/// A code stands in an address, which a terminal, a history or another user's list of processes may show; the
/// session that it is exchanged for stands in none of them.
final class OneTimeCodes: Sendable {
  /// So long a code opens.
  static let validity = Duration.seconds(60)
  /// More than these are not kept: the oldest goes.
  private static let most = 16

  private let codes = Mutex<[(code: Secret, end: ContinuousClock.Instant)]>([])
  private let now: @Sendable () -> ContinuousClock.Instant

  init(now: @escaping @Sendable () -> ContinuousClock.Instant) { self.now = now }

  /// A new one.
  func issue() -> String {
    let code = Secret()
    let end = now() + Self.validity
    codes.withLock { codes in
      codes.append((code, end))
      if codes.count > Self.most { codes.removeFirst() }
    }
    return code.text
  }

  /// Takes a code. It is used up, whether it still opened or not.
  /// - Returns: Whether it opens.
  func redeem(_ guess: String) -> Bool {
    let now = now()
    return codes.withLock { codes in
      guard let place = codes.firstIndex(where: { $0.code.matches(guess) }) else { return false }
      return now < codes.remove(at: place).end
    }
  }
}
