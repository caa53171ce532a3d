/// A segment, and for each of its intervals what is known of it. The intervals are as they were measured.
public struct MarkedSegment: Hashable, Sendable {
  /// When the first beat was, as ``RRSegment/start``.
  public let start: Double
  /// Milliseconds, oldest first.
  public let intervals: [Double]
  /// One for each interval.
  public let marks: [IntervalMark]
  /// Whether all marks are `normal`, as most segments' are.
  let isNormal: Bool
  /// When each interval ends, in seconds since ``start``.
  public let ends: [Double]

  /// Both arrays are of one length; what is longer is cut off.
  init(start: Double, intervals: [Double], marks: [IntervalMark]) {
    let count = min(intervals.count, marks.count)
    self.start = start
    self.intervals = intervals.count == count ? intervals : Array(intervals.prefix(count))
    self.marks = marks.count == count ? marks : Array(marks.prefix(count))
    isNormal = self.marks.allSatisfy { $0 == .normal }
    var sum = 0.0
    // Summed in milliseconds, in which whole ticks are exact.
    ends = self.intervals.map { interval in
      sum += interval
      return sum / 1000
    }
  }

  /// Seconds from the first beat to the last.
  public var duration: Double { ends.last ?? 0 }

  /// Which of the intervals end after `start` and not after `end`, both in seconds of the caller's clock. An
  /// interval is so in exactly one of two windows that touch.
  func indices(in window: Window) -> Range<Int> {
    let lower = firstIndex(endingAfter: window.start - start)
    let upper = firstIndex(endingAfter: window.end - start)
    return lower..<max(lower, upper)
  }

  /// The index of the first interval that ends after a time in seconds since ``start``; the number of
  /// intervals where none does.
  func firstIndex(endingAfter time: Double) -> Int {
    ends.indices.firstByHalving { ends[$0] > time }
  }
}
