import Dispatch
import Synchronization

/// The time that the parts of a run have left to finish after the run was asked to end.
///
/// A run ends within two seconds, unless a store accepts writes slowly. The gateway has its own limits. The
/// parts beside it (destinations, bus, page, metrics) get the time that remains.
final class Ending: Sendable {
  /// Time after the request to end the run by which every part of it should have finished.
  static let limit = Duration.milliseconds(1950)
  /// Minimum time that each part of the run gets to finish, even if the limit has passed.
  static let least = Duration.milliseconds(100)
  /// Maximum time that each part of the run gets to finish, even right after the request to end it.
  private static let most = Duration.seconds(1)

  private let begun = Mutex<ContinuousClock.Instant?>(nil)

  /// Records the time of the request to end the run. Later calls have no effect.
  func begin() { begun.withLock { $0 = $0 ?? .now } }

  /// The time that a part may take to finish, counted from now.
  var timeout: Duration {
    guard let begun = begun.withLock(\.self) else { return Self.most }
    return Self.timeout(after: .now - begun)
  }

  /// Returns the time that a part of the run gets to finish.
  /// - Parameter elapsed: Time since the request to end the run.
  static func timeout(after elapsed: Duration) -> Duration { min(most, max(least, limit - elapsed)) }
}

extension Ending {
  /// ``timeout`` as a Dispatch interval.
  var interval: DispatchTimeInterval {
    let (seconds, attoseconds) = timeout.components
    return .milliseconds(Int(seconds * 1000 + attoseconds / 1_000_000_000_000_000))
  }
}
