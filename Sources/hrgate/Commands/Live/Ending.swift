import Dispatch
import Synchronization

/// When a run was told to end, and how much time there is then: it has ended after two seconds, unless a
/// store takes what it gets and takes long.
///
/// The gateway itself knows its limits. Those who stand beside it and have a last word to say (destinations,
/// bus, page, metrics) get what is left.
final class Ending: Sendable {
  /// So long after the wish the last word is to be said.
  static let limit = Duration.milliseconds(1950)
  /// However late it is.
  static let least = Duration.milliseconds(100)
  /// However early.
  private static let most = Duration.seconds(1)

  private let begun = Mutex<ContinuousClock.Instant?>(nil)

  /// The run is to end.
  func begin() { begun.withLock { $0 = $0 ?? .now } }

  /// So long somebody may take for the last word.
  var patience: Duration {
    guard let begun = begun.withLock(\.self) else { return Self.most }
    return Self.patience(after: .now - begun)
  }

  /// - Parameter elapsed: Since the wish.
  static func patience(after elapsed: Duration) -> Duration { min(most, max(least, limit - elapsed)) }
}

extension Ending {
  /// The same, as Dispatch has it.
  var interval: DispatchTimeInterval {
    let (seconds, attoseconds) = patience.components
    return .milliseconds(Int(seconds * 1000 + attoseconds / 1_000_000_000_000_000))
  }
}
