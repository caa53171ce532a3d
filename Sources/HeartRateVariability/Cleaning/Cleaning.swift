/// The rules that find artifacts in RR intervals and mark them. The intervals stay unchanged;
/// ``MarkedRecording/corrected()`` replaces them in a separate step.
///
/// ```swift
/// let recording = Cleaning.usual.mark(segments)
/// print(recording.counts)
/// ```
public struct Cleaning: Hashable, Sendable {
  /// The default range limits, and the classification by Lipponen and Tarvainen with its published
  /// parameters.
  public static let usual = Cleaning(limits: .usual, classification: LipponenTarvainen())
  /// The default range limits only, without a classification.
  public static let limitsAlone = Cleaning(limits: .usual, classification: nil)

  /// RR intervals outside this range are artifacts.
  public var limits: RangeLimits
  /// The classification that compares an interval with its neighbors, or `nil` to use only the range limits.
  public var classification: LipponenTarvainen?

  public init(limits: RangeLimits, classification: LipponenTarvainen?) {
    self.limits = limits
    self.classification = classification
  }

  /// Marks the artifacts among the intervals of one source. Segments are classified separately, because beats
  /// may be missing between them.
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
  /// Returns the mark to keep if two rules mark the same interval: the more specific one.
  ///
  /// For example, an early beat also causes a short interval, so `ectopic` replaces `short`. A missed or
  /// extra beat may cause an interval that is out of range, and the correction needs to know the cause.
  fileprivate func replacing(_ other: IntervalMark) -> IntervalMark {
    let order: [IntervalMark] = [
      .normal, .interpolated, .short, .long, .outOfRange, .missed, .extra, .ectopic,
    ]
    return (order.firstIndex(of: self) ?? 0) > (order.firstIndex(of: other) ?? 0) ? self : other
  }
}

/// The range of plausible RR intervals in milliseconds. Any interval outside it is an artifact.
public struct RangeLimits: Hashable, Sendable {
  /// 300 to 2,000 ms: heart rates of 30 to 200 beats per minute. For young people at maximal effort, use a
  /// lower limit of 250 ms.
  public static let usual = RangeLimits(shortest: 300, longest: 2000)

  /// The shortest interval in milliseconds.
  public var shortest: Double
  /// The longest interval in milliseconds.
  public var longest: Double

  /// Creates limits in milliseconds, both inclusive. Intervals below one millisecond are always outside.
  public init(shortest: Double, longest: Double) {
    self.shortest = shortest
    self.longest = longest
  }

  /// The minimum of any limit: one millisecond.
  static let least = 1.0

  func contains(_ interval: Double) -> Bool {
    interval >= Self.least && interval >= shortest && interval <= longest
  }

  /// Returns whether all intervals are in range. The loop has no branch: nearly always all intervals are in
  /// range, so stopping early would not help.
  func containAll(_ intervals: [Double]) -> Bool {
    // If a limit is NaN, no interval is in range.
    guard !shortest.isNaN, !longest.isNaN else { return intervals.isEmpty }
    let least = max(Self.least, shortest)
    let outside = intervals.sum { values in
      SIMD4(repeating: 0).replacing(with: 1, where: (values .< least) .| (values .> longest))
    }
    return outside == 0
  }
}
