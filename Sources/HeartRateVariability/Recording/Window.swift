/// A part of the time, over which a measure is taken. An interval is in the window in which it ends.
public struct Window: Hashable, Sendable {
  /// Seconds, as ``RRSegment/start`` counts them. An interval that ends at this very instant is not in it.
  public let start: Double
  /// An interval that ends at this very instant is in it.
  public let end: Double

  /// - Returns: `nil` where a number is not finite or too far away, or the window has no duration.
  public init?(start: Double, end: Double) {
    guard start < end, abs(start) <= 2 * RRSegment.farthestStart, abs(end) <= 2 * RRSegment.farthestStart
    else { return nil }
    self.start = start
    self.end = end
  }

  /// Seconds.
  public var duration: Double { end - start }
}
