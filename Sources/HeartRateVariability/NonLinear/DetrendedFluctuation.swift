/// The windows of a detrended fluctuation analysis (Peng 1995): how the fluctuation about straight lines
/// grows with the number of beats over which the lines are drawn.
public struct DetrendedFluctuation: Hashable, Sendable {
  /// α1: 4 to 16 beats.
  public static let short = DetrendedFluctuation(scales: 4...16)
  /// α2: 16 to 64 beats.
  public static let long = DetrendedFluctuation(scales: 16...64)

  /// Beats in a window: each whole number from 4 to 1,024 that is in the range.
  public let scales: ClosedRange<Int>

  /// What is out of the limits is brought to the nearest that is not. At least two scales are taken.
  public init(scales: ClosedRange<Int>) {
    let lower = min(max(scales.lowerBound, 4), 1023)
    self.scales = lower...min(max(scales.upperBound, lower + 1), 1024)
  }

  /// How many windows of the greatest scale there must be.
  static let leastWindows = 4
}

extension NNSeries {
  /// α, the slope of ln F(s) over ln s by least squares.
  ///
  /// Of each run the sums of the intervals, each less the mean of all, are parted into windows of *s* beats
  /// side by side from the run's beginning; what is left at its end is not used. F²(s) is the mean squared
  /// distance from each window's line of least squares, over the windows of all runs.
  ///
  /// - Throws: `noLongStretch` where the runs hold fewer than four windows of the greatest scale,
  ///   `noVariation`, and what the requirements refuse.
  public func alpha(
    _ analysis: DetrendedFluctuation = .short, requirements: Requirements = .clean
  ) throws(Refusal) -> Double {
    try require(requirements)
    let greatest = analysis.scales.upperBound
    let windows = runs.reduce(0) { $0 + $1.count / greatest }
    guard windows >= DetrendedFluctuation.leastWindows else {
      throw Refusal(
        .noLongStretch, found: Double(runs.map(\.count).max() ?? 0),
        needed: Double(greatest * DetrendedFluctuation.leastWindows))
    }
    guard !isConstant else { throw Refusal(.noVariation) }
    let fluctuations = self.fluctuations(analysis)
    // Where a window of every scale lies on its line, as in a ramp of few steps, there is no logarithm.
    guard fluctuations.allSatisfy({ $0 > 0 }) else { throw Refusal(.noVariation) }
    return DoubleLogarithm.slope(of: fluctuations, over: analysis.scales)
  }

  /// F(s) for each scale, in milliseconds; zero for one that fits into no run.
  public func fluctuations(_ analysis: DetrendedFluctuation) -> [Double] {
    let mean = intervals.mean
    var profiles: [[Double]] = []
    for run in runs where run.count >= analysis.scales.lowerBound {
      var sum = 0.0
      profiles.append(
        intervals[run].map { interval in
          sum += interval - mean
          return sum
        })
    }
    return analysis.scales.map { scale in
      var (squares, points) = (0.0, 0)
      for profile in profiles {
        for start in stride(from: 0, through: profile.count - scale, by: scale) {
          squares += LineFit.squaredDistances(of: profile, start, scale)
          points += scale
        }
      }
      return points > 0 ? (squares / Double(points)).squareRoot() : 0
    }
  }
}
