/// The NN intervals of a window, from which all measures are computed.
///
/// ``runs`` are ranges of intervals between consecutive beats. A gap or an artifact ends a run. Differences
/// between neighboring intervals are computed only within runs.
///
/// ```swift
/// let series = recording.nn(in: window)
/// print(series.coverage, try series.timeDomain().sdnn)
/// ```
public struct NNSeries: Sendable {
  /// NN intervals in milliseconds, in chronological order.
  public let intervals: [Double]
  /// The parts of segments from which the intervals were taken, in order.
  let pieces: [Piece]
  /// Ranges of intervals that follow one another without a gap or an artifact in between. The ranges are
  /// adjacent and not empty.
  public let runs: [Range<Int>]
  /// The number of intervals that end in the window, including artifacts.
  public let measured: Int
  /// The number of intervals that are artifacts or replace artifacts.
  public let artefacts: Int
  /// The fraction of the window covered by NN intervals, 0 to 1. Without a window, as in
  /// ``MarkedRecording/pooled(in:)``, it is the fraction of the recorded time.
  public let coverage: Double
  /// The time covered by more than one interval, as a fraction of the window. It is 0 if no intervals
  /// overlap.
  public let overlap: Double
  /// The duration of the window in seconds, or the recorded time without a window.
  public let duration: Double
  /// The parts for which Lomb–Scargle spectra are computed separately. If there is a window, there is one
  /// stretch. Otherwise each segment without a gap is a stretch. A segment of more than ten minutes is
  /// divided into equal parts of five to ten minutes. An artifact does not end a stretch.
  public let stretches: [Stretch]

  /// Intervals that are used together for a spectrum, because a wave can keep its phase across them.
  public struct Stretch: Hashable, Sendable {
    /// The minimum duration in seconds of the parts into which a long stretch is divided. Short-term measures
    /// are defined for this duration (Task Force 1996), and it is the period of the slowest wave in the VLF
    /// band.
    static let shortestPart = 300.0

    /// The indices of the intervals in ``NNSeries/intervals``.
    public let indices: Range<Int>
    /// The start in seconds, with the same origin as ``NNSeries/times``.
    public let start: Double
    /// The duration in seconds.
    public let duration: Double
  }

  /// The fraction of artifacts among the intervals, 0 to 1. It is 0 if there are no intervals.
  public var artefactShare: Double { measured == 0 ? 0 : Double(artefacts) / Double(measured) }

  /// The number of pairs of consecutive intervals in all runs: one less than the number of intervals in each
  /// run.
  public var differenceCount: Int { intervals.count - runs.count }
}

extension NNSeries {
  /// The end of each interval in seconds since the window began. It is computed on each access, because most
  /// measures do not need it.
  public var times: [Double] {
    var times: [Double] = []
    times.reserveCapacity(intervals.count)
    for piece in pieces { piece.addTimes(to: &times) }
    return times
  }

  /// A part of a segment from which NN intervals were taken.
  struct Piece: Sendable {
    let segment: MarkedSegment
    /// The range of the segment's intervals, including artifacts.
    let indices: Range<Int>
    /// Seconds to add to times in the segment to get times in the series.
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

// Series with the same values are equal, even if they were built from different segments.
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
  /// Creates a series from intervals that are already free of artifacts and gaps, such as those exported by
  /// another program.
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
