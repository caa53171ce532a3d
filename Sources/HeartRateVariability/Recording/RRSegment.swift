/// RR intervals that follow one another without a gap, and when the first of their beats was.
///
/// Where beats may be missing a segment ends and another begins. No measure of this module joins two.
public struct RRSegment: Hashable, Sendable {
  /// The longest interval that a segment takes, in milliseconds: a day. It bounds all arithmetic; which
  /// intervals a heart can have is the business of ``RangeLimits``.
  public static let longestInterval = 86_400_000.0
  /// How far from zero ``start`` may be, in seconds: some 3,000 years.
  public static let farthestStart = 1e11

  /// When the first beat was, in seconds since whatever instant the caller counts from (the store's programs:
  /// 1970).
  public let start: Double
  /// Milliseconds, oldest first. The first interval ends at the second beat.
  public let intervals: [Double]

  /// - Returns: `nil` where a number is not finite, an interval is negative or above ``longestInterval``, or
  ///   the start is farther than ``farthestStart``.
  public init?(start: Double, intervals: [Double]) {
    guard Self.isPossible(start: start), intervals.allSatisfy(Self.isPossible(interval:)) else {
      return nil
    }
    self.start = start
    self.intervals = intervals
  }

  /// Intervals as straps send them, in ticks of 1/1024 s (Heart Rate Service 1.0, §3.1.1.5). A tick is
  /// exactly 0.9765625 ms, so nothing is rounded.
  ///
  /// - Returns: `nil` where the start is not finite or too far away.
  public init?(start: Double, ticks: some Sequence<UInt16>) {
    guard Self.isPossible(start: start) else { return nil }
    self.start = start
    intervals = ticks.map { Double($0) * Self.tick }
  }

  /// A tick in milliseconds: 1000/1024.
  public static let tick = 1000.0 / 1024.0

  static func isPossible(interval: Double) -> Bool { interval >= 0 && interval <= longestInterval }

  private static func isPossible(start: Double) -> Bool {
    start.isFinite && abs(start) <= farthestStart
  }
}
