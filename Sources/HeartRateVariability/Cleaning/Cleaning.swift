/// The rules that find artifacts in RR intervals and mark them. The intervals stay unchanged;
/// ``MarkedRecording/corrected()`` replaces them in a separate step.
///
/// ```swift
/// let recording = Cleaning.usual.mark(segments)
/// print(recording.counts)
/// ```
public struct Cleaning: Hashable, Sendable {
  /// The default range limits, and the classification of Lipponen and Tarvainen with the published
  /// parameters.
  public static let usual = Cleaning(limits: .usual, classification: LipponenTarvainen())
  /// Only the default range limits, without a classification.
  public static let limitsAlone = Cleaning(limits: .usual, classification: nil)

  /// The range outside which an RR interval is an artifact.
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
  /// Returns the mark to keep if two rules mark the same interval.
  ///
  /// The more specific mark is kept. For example, an early beat also makes a short interval, so `ectopic`
  /// replaces `short`. A missed or extra beat may put an interval out of range, and the correction needs to
  /// know the cause.
  fileprivate func replacing(_ other: IntervalMark) -> IntervalMark {
    let order: [IntervalMark] = [
      .normal, .interpolated, .short, .long, .outOfRange, .missed, .extra, .ectopic,
    ]
    return (order.firstIndex(of: self) ?? 0) > (order.firstIndex(of: other) ?? 0) ? self : other
  }
}

/// The range of plausible RR intervals in milliseconds. Any interval outside is an artifact.
public struct RangeLimits: Hashable, Sendable {
  /// 300 to 2,000 ms: heart rates of 30 to 200 beats per minute. For maximal effort of young people, use 250
  /// ms as the lower limit.
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

  /// Returns whether all intervals are in range. It has no branch per interval: nearly always all are in
  /// range, so stopping early would not help.
  func containAll(_ intervals: [Double]) -> Bool {
    // A limit that is NaN contains no interval.
    guard !shortest.isNaN, !longest.isNaN else { return intervals.isEmpty }
    let least = max(Self.least, shortest)
    let outside = intervals.sum { values in
      SIMD4(repeating: 0).replacing(with: 1, where: (values .< least) .| (values .> longest))
    }
    return outside == 0
  }
}
