/// A heart rate, and when it was told.
public struct HeartRateReading: Hashable, Sendable {
  /// Seconds since whatever instant the caller counts from.
  public let time: Double
  /// Above 0, at most 1,000.
  public let beatsPerMinute: Double

  /// - Returns: `nil` where a number is not finite or out of its range, as the 0 of a strap that is not worn.
  public init?(time: Double, beatsPerMinute: Double) {
    guard abs(time) <= RRSegment.farthestStart, beatsPerMinute > 0, beatsPerMinute <= 1000 else { return nil }
    self.time = time
    self.beatsPerMinute = beatsPerMinute
  }
}
