import Glibc

/// The measures of the time domain (Task Force of the ESC and NASPE 1996, table 1). Differences are between
/// consecutive NN intervals, and never span a gap or an artifact.
///
/// ```swift
/// let timeDomain = try series.timeDomain()
/// print(timeDomain.rmssd, timeDomain.pNN50())
/// ```
public struct TimeDomain: Hashable, Sendable {
  /// The number of NN intervals.
  public let count: Int
  /// The number of differences between consecutive intervals. It is ``count`` − 1 if there is no gap or
  /// artifact.
  public let differenceCount: Int
  /// The mean of the NN intervals in milliseconds.
  public let meanNN: Double
  /// The standard deviation of the NN intervals in milliseconds, with ``count`` − 1 as divisor.
  public let sdnn: Double
  /// The square root of the mean of the squared differences, in milliseconds.
  public let rmssd: Double
  /// The standard deviation of the differences in milliseconds, with ``differenceCount`` − 1 as divisor.
  public let sdsd: Double
  /// The number of differences of more than 50 ms, up or down.
  public let nn50: Int
  /// The number of differences of more than 20 ms, up or down.
  public let nn20: Int
  /// The triangular index: the number of NN intervals divided by the number in the fullest bin of their
  /// histogram. The bins have a width of 1/128 s (7.8125 ms) and begin at 0.
  public let triangularIndex: Double

  /// The natural logarithm of ``rmssd``, or `nil` if all differences are 0.
  public var lnRMSSD: Double? { rmssd > 0 ? log(rmssd) : nil }
  /// 60 s divided by the mean NN interval, in beats per minute. It is lower than the mean of the beats'
  /// individual heart rates.
  public var meanHeartRate: Double { 60_000 / meanNN }

  /// What a percentage is relative to.
  public enum Denominator: Hashable, Sendable {
    /// The number of differences, as in PhysioNet's pNNx and most programs. The percentage remains correct if
    /// there are gaps.
    case differences
    /// The number of NN intervals, as in the Task Force's definition and NeuroKit2.
    case intervals
  }

  /// Returns the percentage of differences above 50 ms.
  public func pNN50(of denominator: Denominator = .differences) -> Double { percent(nn50, denominator) }

  /// Returns the percentage of differences above 20 ms.
  public func pNN20(of denominator: Denominator = .differences) -> Double { percent(nn20, denominator) }

  private func percent(_ part: Int, _ denominator: Denominator) -> Double {
    100 * Double(part) / Double(denominator == .differences ? differenceCount : count)
  }
}

extension NNSeries {
  /// Returns the measures of the time domain.
  ///
  /// RMSSD is used for windows of one minute or more, and SDNN for five minutes or a day. The caller chooses
  /// the length of the window.
  ///
  /// - Throws: `tooFewIntervals` below three, `tooFewDifferences` below two, and the errors of the
  ///   requirements.
  public func timeDomain(_ requirements: Requirements = .usual) throws(MeasureError) -> TimeDomain {
    try require(intervals: 3)
    try require(differences: 2)
    try require(requirements)
    let steps = Differences(of: self)
    let mean = intervals.mean
    return TimeDomain(
      count: intervals.count, differenceCount: differenceCount, meanNN: mean,
      sdnn: intervals.standardDeviation(about: mean),
      rmssd: (steps.squares / Double(differenceCount)).squareRoot(),
      sdsd: steps.standardDeviation, nn50: steps.above50, nn20: steps.above20,
      triangularIndex: Double(intervals.count) / Double(Histogram.highest(of: intervals)))
  }
}

/// The histogram of NN intervals in bins of 1/128 s that begin at 0.
enum Histogram {
  /// The width of a bin in milliseconds. Its bounds are exact.
  private static let width = 1000.0 / 128
  /// The last bin, for all intervals of ten seconds or more. It bounds memory use.
  private static let last: Int32 = 1280

  /// Returns the number of intervals in the fullest bin.
  ///
  /// - Parameter intervals: At least one interval, none negative.
  static func highest(of intervals: [Double]) -> Int {
    withUnsafeTemporaryAllocation(of: Int32.self, capacity: Int(last) + 1) { counts in
      intervals.withUnsafeBufferPointer { intervals in
        let (first, last) = bounds(of: intervals)
        for bin in first...last { counts.initializeElement(at: bin, to: 0) }
        for interval in intervals { counts[bin(interval)] += 1 }
        return (first...last).reduce(0) { max($0, Int(counts[$1])) }
      }
    }
  }

  private static func bin(_ interval: Double) -> Int {
    Int(Int32(min(interval / width, Double(last))))
  }

  private static func bounds(of intervals: UnsafeBufferPointer<Double>) -> (first: Int, last: Int) {
    var (least, greatest) = (Double.infinity, 0.0)
    for interval in intervals { (least, greatest) = (min(least, interval), max(greatest, interval)) }
    return (bin(least), bin(greatest))
  }
}
