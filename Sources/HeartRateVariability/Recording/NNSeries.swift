/// The NN intervals of a window, from which all measures are computed.
///
/// ``runs`` groups the intervals that follow each other in the heart. A gap or an artifact ends a run.
/// Measures of neighbors, such as differences, are computed inside runs only.
///
/// ```swift
/// let series = recording.nn(in: window)
/// print(series.coverage, try series.timeDomain().sdnn)
/// ```
public struct NNSeries: Sendable {
  /// NN intervals in milliseconds, in order of time.
  public let intervals: [Double]
  /// The origin of the intervals, in order.
  let pieces: [Piece]
  /// Ranges of intervals that follow one another. The ranges are adjacent and not empty.
  public let runs: [Range<Int>]
  /// The number of intervals that end in the window, including artifacts.
  public let measured: Int
  /// The number of intervals that are artifacts or replace one.
  public let artefacts: Int
  /// The fraction of the window covered by NN intervals, 0 to 1. Without a window, as in
  /// ``MarkedRecording/pooled(in:)``, it is the fraction of the recorded time.
  public let coverage: Double
  /// The time that is recorded more than once, as a fraction of the window. It is 0 if no intervals overlap.
  public let overlap: Double
  /// The duration of the window in seconds, or the recorded time without a window.
  public let duration: Double
  /// The stretches for a Lomb–Scargle spectrum. A window is one stretch. Without a window, each uninterrupted
  /// segment is one, divided into equal parts of five to ten minutes if it is longer. An artifact does not
  /// end a stretch.
  public let stretches: [Stretch]

  /// Intervals over which a wave keeps its phase.
  public struct Stretch: Hashable, Sendable {
    /// The duration in seconds that determines the number of parts of a stretch. Short-term measures are
    /// defined for this duration (Task Force 1996), and it contains the longest wave of VLF.
    static let shortestPart = 300.0

    /// Indices of ``NNSeries/intervals``.
    public let indices: Range<Int>
    /// The start in seconds, on the same scale as ``NNSeries/times``.
    public let start: Double
    /// The duration in seconds.
    public let duration: Double
  }

  /// The fraction of artifacts among the intervals, 0 to 1. It is 0 without intervals.
  public var artefactShare: Double { measured == 0 ? 0 : Double(artefacts) / Double(measured) }

  /// The number of pairs of neighbors: one less than the number of intervals in each run.
  public var differenceCount: Int { intervals.count - runs.count }
}

extension NNSeries {
  /// The end of each interval in seconds since the window began. It is computed for each access, because most
  /// measures do not need it.
  public var times: [Double] {
    var times: [Double] = []
    times.reserveCapacity(intervals.count)
    for piece in pieces { piece.addTimes(to: &times) }
    return times
  }

  /// A part of a segment whose NN intervals are in a series.
  struct Piece: Sendable {
    let segment: MarkedSegment
    /// Indices of the segment's intervals, including artifacts.
    let indices: Range<Int>
    /// The offset in seconds that is added to the segment's times.
    let shift: Double

    var times: [Double] {
      var times: [Double] = []
      addTimes(to: &times)
      return times
    }

    func addTimes(to times: inout [Double]) {
      segment.forEachEnd(in: indices) { index, end in
        if segment.isNormal || segment.marks[index].isNN { times.append(end + shift) }
      }
    }
  }
}

// Two series are equal if their values are, regardless of their origin.
extension NNSeries: Hashable {
  public static func == (one: Self, other: Self) -> Bool {
    one.intervals == other.intervals && one.runs == other.runs && one.measured == other.measured
      && one.artefacts == other.artefacts && one.coverage == other.coverage && one.overlap == other.overlap
      && one.duration == other.duration && one.stretches == other.stretches && one.times == other.times
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(intervals)
    hasher.combine(runs)
    hasher.combine(duration)
  }
}

extension NNSeries {
  /// Creates a single run of normal intervals, for intervals from another source that are already clean.
  ///
  /// ```swift
  /// if let series = NNSeries(intervals: [812, 820, 805, 831]) {
  ///   print(try series.timeDomain().rmssd)
  /// }
  /// ```
  ///
  /// - Returns: `nil` if an interval is not finite, below one millisecond, or above
  ///   ``RRSegment/longestInterval``.
  public init?(intervals: [Double]) {
    guard intervals.allSatisfy({ $0 >= RangeLimits.least && $0 <= RRSegment.longestInterval }) else {
      return nil
    }
    let segment = MarkedSegment(
      start: 0, intervals: intervals, marks: Array(repeating: .normal, count: intervals.count))
    self = MarkedRecording(segments: [segment]).pooled()
  }
}
