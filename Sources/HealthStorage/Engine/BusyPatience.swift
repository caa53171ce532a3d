import Glibc
import Synchronization

/// How long a statement waits while another connection has the file locked.
///
/// SQLite's own timeout is set once and goes on to its end. This one can be shortened while somebody waits:
/// who is told to stop has no five seconds.
package final class BusyPatience: Sendable {
  private struct Limits {
    var usual = Duration.seconds(5)
    var isBrief = false
  }

  static let brief = Duration.milliseconds(250)
  /// In milliseconds, as SQLite's: a lock is mostly held for a moment.
  private static let pauses = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50]
  private static let lastPause = 100

  private let limits = Mutex(Limits())

  /// For how long where nobody is in a hurry.
  package var usual: Duration {
    get { limits.withLock(\.usual) }
    set { limits.withLock { $0.usual = newValue } }
  }

  /// Somebody is in a hurry: whoever waits by now waits no longer than a quarter of a second either.
  package var isBrief: Bool {
    get { limits.withLock(\.isBrief) }
    set { limits.withLock { $0.isBrief = newValue } }
  }

  /// Pauses before another attempt.
  ///
  /// - Parameter tries: How many there were after the first.
  /// - Returns: Whether there is to be one.
  func wait(afterTries tries: Int) -> Bool {
    let known = Self.pauses.prefix(tries)
    let waited = known.reduce(0, +) + (tries - known.count) * Self.lastPause
    let pause = tries < Self.pauses.count ? Self.pauses[tries] : Self.lastPause
    let limit = limits.withLock { $0.isBrief ? min($0.usual, Self.brief) : $0.usual }
    guard .milliseconds(waited + pause) <= limit else { return false }
    usleep(UInt32(pause) * 1000)
    return true
  }
}
