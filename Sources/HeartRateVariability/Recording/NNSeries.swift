/// The NN intervals of a window: what every measure is computed from.
///
/// The intervals stand one after another, and ``runs`` says which of them follow each other in the heart,
/// too. A gap ends a run, and so does an artefact. Whatever needs neighbours, as a difference does, stays
/// inside a run.
public struct NNSeries: Sendable {
  /// Milliseconds, in order of time.
  public let intervals: [Double]
  /// Where they are from, in order.
  let pieces: [Piece]
  /// Indices of intervals that follow one another. The ranges touch, and none is empty.
  public let runs: [Range<Int>]
  /// How many intervals ended in the window, artefacts included.
  public let measured: Int
  /// How many of them are, or stand for, artefacts.
  public let artefacts: Int
  /// The part of the window that NN intervals fill, 0 to 1. Where there is no window, as in
  /// ``MarkedRecording/pooled(in:)``, the part of the recorded time.
  public let coverage: Double
  /// The time that is recorded more than once, as a part of the window: 0 if no two intervals overlap.
  public let overlap: Double
  /// Seconds: the window's duration, or without a window the recorded time.
  public let duration: Double
  /// What a spectrum by Lomb and Scargle is of: all of a window, or without one each uninterrupted stretch by
  /// itself, in equal parts of five to ten minutes where it is longer. An artefact ends none.
  public let stretches: [Stretch]

  /// Intervals over which a wave keeps its phase.
  public struct Stretch: Hashable, Sendable {
    /// Seconds: a stretch has as many parts as it has of these. It is the window that short-term measures are
    /// defined over (Task Force 1996), and the longest wave of VLF is in it.
    static let shortestPart = 300.0

    /// Of ``NNSeries/intervals``.
    public let indices: Range<Int>
    /// When it begins, as ``NNSeries/times`` counts.
    public let start: Double
    /// Seconds.
    public let duration: Double
  }

  /// Artefacts among the intervals, 0 to 1; 0 where there are none.
  public var artefactShare: Double { measured == 0 ? 0 : Double(artefacts) / Double(measured) }

  /// How many pairs of neighbours there are: one less in each run than it has intervals.
  public var differenceCount: Int { intervals.count - runs.count }
}

extension NNSeries {
  /// When each interval ends, in seconds since the window began. It is added up each time it is asked for:
  /// most measures do not ask.
  public var times: [Double] {
    var times: [Double] = []
    times.reserveCapacity(intervals.count)
    for piece in pieces { piece.addTimes(to: &times) }
    return times
  }

  /// A part of a segment whose NN intervals are in a series.
  struct Piece: Sendable {
    let segment: MarkedSegment
    /// Of the segment's intervals, artefacts included.
    let indices: Range<Int>
    /// What is added to the segment's times, in seconds.
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

// By what the series says, and not by where it is from.
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
  /// One run of intervals, all of them normal: for numbers that come from elsewhere and are clean already.
  ///
  /// - Returns: `nil` where an interval is not finite, below a millisecond, or above
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
