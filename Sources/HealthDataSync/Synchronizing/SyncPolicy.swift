/// How much is carried at once, and how long is waited for what.
public struct SyncPolicy: Hashable, Sendable {
  /// How many samples and deletions make a page.
  public var pageCount = 10_000
  /// How much memory a page takes, about, in bytes. Two are in memory at a time.
  public var pageBytes = 2 << 20
  /// While everything is there, the next changes are gathered for so long.
  public var liveInterval: Duration = .milliseconds(500)
  /// Before the second attempt it waits for up to so long, and for up to twice as long before each further
  /// one.
  public var firstPause: Duration = .milliseconds(500)
  /// No longer than this. So long it waits where somebody has to act.
  public var longestPause: Duration = .seconds(300)
  /// A server that asks to be left alone for longer than this is asked again after it.
  public var longestAskedPause: Duration = .seconds(3600)
  /// A record that is set aside is tried again after so long, and then after twice as long each time,
  public var firstPauseOfSetAside: Duration = .seconds(300)
  /// up to this.
  public var longestPauseOfSetAside: Duration = .seconds(24 * 3600)
  /// How many attempts in a row may fail before `runOnce()` gives up.
  public var attemptsOfOneRun = 5
  /// How often `run()` looks whether another process still carries to the destination.
  public var leaseInterval: Duration = .seconds(5)

  public init() {}
}
