import Glibc

/// The measures of the time domain (Task Force of the ESC and NASPE 1996, table 1). Differences are those of
/// neighbours inside a run; none reaches across a gap or an artefact.
public struct TimeDomain: Hashable, Sendable {
  /// How many NN intervals: *n*.
  public let count: Int
  /// How many differences of neighbours: *d*. Without a gap, *n* − 1.
  public let differenceCount: Int
  /// The mean of the NN intervals, in milliseconds.
  public let meanNN: Double
  /// The standard deviation of the NN intervals (divided by *n* − 1), in milliseconds.
  public let sdnn: Double
  /// The square root of the mean of the squared differences (divided by *d*), in milliseconds.
  public let rmssd: Double
  /// The standard deviation of the differences (divided by *d* − 1), in milliseconds.
  public let sdsd: Double
  /// How many differences are of more than 50 ms, up or down.
  public let nn50: Int
  /// How many differences are of more than 20 ms, up or down.
  public let nn20: Int
  /// The NN intervals over the height of their histogram in bins of 1/128 s (7.8125 ms) that begin at zero.
  public let triangularIndex: Double

  /// The natural logarithm of ``rmssd`` in milliseconds; `nil` where no difference is other than zero.
  public var lnRMSSD: Double? { rmssd > 0 ? log(rmssd) : nil }
  /// Sixty seconds over the mean NN interval, in beats per minute: less than the mean of the rates of single
  /// beats.
  public var meanHeartRate: Double { 60_000 / meanNN }

  /// What a percentage of differences is of.
  public enum Denominator: Hashable, Sendable {
    /// The number of differences, as PhysioNet's pNNx and most packages have it. It is what a gap leaves
    /// true.
    case differences
    /// The number of NN intervals, as the Task Force wrote and NeuroKit2 does.
    case intervals
  }

  /// Percent of differences above 50 ms.
  public func pNN50(of denominator: Denominator = .differences) -> Double { percent(nn50, denominator) }

  /// Percent of differences above 20 ms.
  public func pNN20(of denominator: Denominator = .differences) -> Double { percent(nn20, denominator) }

  private func percent(_ part: Int, _ denominator: Denominator) -> Double {
    100 * Double(part) / Double(denominator == .differences ? differenceCount : count)
  }
}

extension NNSeries {
  /// The measures of the time domain.
  ///
  /// - Throws: `tooFewIntervals` below three, `tooFewDifferences` below two, and what the requirements
  ///   refuse. RMSSD is in use down to a minute, SDNN over five minutes or a day; that is for the window's
  ///   length to say.
  public func timeDomain(_ requirements: Requirements = .usual) throws(Refusal) -> TimeDomain {
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
