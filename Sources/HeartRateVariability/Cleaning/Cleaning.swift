/// Marks what is wrong with RR intervals. It rewrites nothing: ``MarkedRecording/corrected()`` is a step of
/// its own.
public struct Cleaning: Hashable, Sendable {
  /// Range limits, and Lipponen and Tarvainen's classification with its published parameters.
  public static let usual = Cleaning(limits: .usual, classification: LipponenTarvainen())
  /// The range limits alone.
  public static let limitsAlone = Cleaning(limits: .usual, classification: nil)

  public var limits: RangeLimits
  /// `nil` for range limits alone.
  public var classification: LipponenTarvainen?

  public init(limits: RangeLimits, classification: LipponenTarvainen?) {
    self.limits = limits
    self.classification = classification
  }

  /// Marks the intervals of one source, each segment by itself.
  public func mark(_ segments: some Sequence<RRSegment>) -> MarkedRecording {
    MarkedRecording(segments: segments.map(mark))
  }

  private func mark(_ segment: RRSegment) -> MarkedSegment {
    let intervals = segment.intervals
    var marks = [IntervalMark](repeating: .normal, count: intervals.count)
    var isNormal = limits.containAll(intervals)
    if !isNormal {
      for index in intervals.indices where !limits.contains(intervals[index]) { marks[index] = .outOfRange }
    }
    for finding in classification?.findings(in: intervals, limits: limits) ?? [] {
      for index in finding.intervals where intervals.indices.contains(index) {
        marks[index] = finding.mark.replacing(marks[index])
        isNormal = false
      }
    }
    return MarkedSegment(start: segment.start, intervals: intervals, marks: marks, isNormal: isNormal)
  }
}

extension IntervalMark {
  /// Which of two marks of one interval stays. What explains more stays: an early beat makes a short interval
  /// as well. A missed beat, or one too many, may put an interval out of range, and is what a correction has
  /// to know of it.
  fileprivate func replacing(_ other: IntervalMark) -> IntervalMark {
    let order: [IntervalMark] = [
      .normal, .interpolated, .short, .long, .outOfRange, .missed, .extra, .ectopic,
    ]
    return (order.firstIndex(of: self) ?? 0) > (order.firstIndex(of: other) ?? 0) ? self : other
  }
}
