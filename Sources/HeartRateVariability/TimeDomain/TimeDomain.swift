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
  /// Sixty seconds over the mean NN interval, in beats per minute.
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
    return TimeDomain(
      count: intervals.count, differenceCount: differenceCount, meanNN: intervals.mean,
      sdnn: intervals.standardDeviation, rmssd: (steps.squares / Double(differenceCount)).squareRoot(),
      sdsd: steps.standardDeviation, nn50: steps.above50, nn20: steps.above20,
      triangularIndex: triangularIndex)
  }

  /// At least one interval.
  private var triangularIndex: Double {
    let width = 1000.0 / 128
    // Bins above ten seconds are gathered in one: no heart has two intervals there, and no memory is spent.
    func bin(_ interval: Double) -> Int { min(Int(interval / width), 1280) }
    var (least, greatest) = (Double.infinity, 0.0)
    for interval in intervals { (least, greatest) = (min(least, interval), max(greatest, interval)) }
    let (first, last) = (bin(least), bin(greatest))
    let highest = withUnsafeTemporaryAllocation(of: Int.self, capacity: last - first + 1) { bins in
      bins.initialize(repeating: 0)
      for interval in intervals { bins[bin(interval) - first] += 1 }
      return bins.max() ?? 1
    }
    return Double(intervals.count) / Double(highest)
  }
}

/// What the measures need of the differences of neighbours.
private struct Differences {
  let squares: Double
  let standardDeviation: Double
  let above50: Int
  let above20: Int

  init(of series: NNSeries) {
    var (above50, above20) = (0, 0)
    let differences = [Double](unsafeUninitializedCapacity: series.differenceCount) { differences, count in
      series.intervals.withUnsafeBufferPointer { intervals in
        for run in series.runs {
          for index in run.dropFirst() {
            let difference = intervals[index] - intervals[index - 1]
            differences[count] = difference
            count += 1
            above50 += abs(difference) > 50 ? 1 : 0
            above20 += abs(difference) > 20 ? 1 : 0
          }
        }
      }
    }
    (self.above50, self.above20) = (above50, above20)
    squares = differences.sum { $0 * $0 }
    standardDeviation = differences.standardDeviation
  }
}
