import Glibc
import Synchronization

/// How long a statement waits while another connection has the file locked.
///
/// Unlike SQLite's own timeout, this one can be shortened during a wait, because a program that is stopping
/// must not wait five seconds.
package final class BusyTimeout: Sendable {
  private struct Limits {
    var usual = Duration.seconds(5)
    var isBrief = false
  }

  /// Whether statements wait at all. Set it around the code that executes them.
  @TaskLocal static var waitsForLocks = true

  static let brief = Duration.milliseconds(250)
  /// The pauses between attempts, in milliseconds, as in SQLite's own busy handler. They are short at first,
  /// because most locks are held only for a moment.
  private static let pauses = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50]
  private static let lastPause = 100

  private let limits = Mutex(Limits())

  /// The timeout in normal operation.
  package var usual: Duration {
    get { limits.withLock(\.usual) }
    set { limits.withLock { $0.usual = newValue } }
  }

  /// Whether to limit waits to 250 ms, including the one in progress. Set it while the program is stopping.
  package var isBrief: Bool {
    get { limits.withLock(\.isBrief) }
    set { limits.withLock { $0.isBrief = newValue } }
  }

  /// Waits before the next attempt.
  ///
  /// - Parameter tries: The number of retries so far.
  /// - Returns: `false`, without waiting, if the timeout has been reached. The caller must then give up.
  func wait(afterTries tries: Int) -> Bool {
    guard Self.waitsForLocks else { return false }
    let known = Self.pauses.prefix(tries)
    let waited = known.reduce(0, +) + (tries - known.count) * Self.lastPause
    let pause = tries < Self.pauses.count ? Self.pauses[tries] : Self.lastPause
    let limit = limits.withLock { $0.isBrief ? min($0.usual, Self.brief) : $0.usual }
    guard .milliseconds(waited + pause) <= limit else { return false }
    usleep(UInt32(pause) * 1000)
    return true
  }
}
