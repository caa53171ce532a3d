import Glibc

/// The window lengths of a detrended fluctuation analysis (Peng 1995). The analysis fits a line in each
/// window, and measures how the deviation from the line grows with the window length.
///
/// ```swift
/// let alpha1 = try series.alpha(.short)
/// ```
public struct DetrendedFluctuation: Hashable, Sendable {
  /// The scales of α1: windows of 4 to 16 beats.
  public static let short = DetrendedFluctuation(scales: 4...16)
  /// The scales of α2: windows of 16 to 64 beats.
  public static let long = DetrendedFluctuation(scales: 16...64)

  /// The window lengths in beats: all integers in the range, which is within 4 to 1,024.
  public let scales: ClosedRange<Int>

  /// Creates scales. Values out of range are clamped, and there are at least two scales.
  public init(scales: ClosedRange<Int>) {
    let lower = min(max(scales.lowerBound, 4), 1023)
    self.scales = lower...min(max(scales.upperBound, lower + 1), 1024)
  }

  /// Minimum number of windows with the largest length.
  static let leastWindows = 4
}

extension NNSeries {
  /// Returns α, the least-squares slope of ln F(s) over ln s.
  ///
  /// A run is a sequence of consecutive beats without a gap or artifact. In each run, the overall mean is
  /// subtracted from the intervals, and their cumulative sums are divided into adjacent windows of *s* beats.
  /// Beats after the last complete window are not used. F²(s) is the mean squared distance from the
  /// least-squares line of each window, over the windows of all runs.
  ///
  /// - Throws: `noLongStretch` if the runs contain fewer than four windows of the largest scale,
  ///   `noVariation`, and the errors of the requirements.
  public func alpha(
    _ analysis: DetrendedFluctuation = .short, requirements: Requirements = .clean
  ) throws(MeasureError) -> Double {
    try require(requirements)
    let greatest = analysis.scales.upperBound
    let windows = runs.reduce(0) { $0 + $1.count / greatest }
    guard windows >= DetrendedFluctuation.leastWindows else {
      throw MeasureError(
        .noLongStretch, found: Double(runs.map(\.count).max() ?? 0),
        needed: Double(greatest * DetrendedFluctuation.leastWindows))
    }
    guard !isConstant else { throw MeasureError(.noVariation) }
    let fluctuations = self.fluctuations(analysis)
    // If all values of each window lie on its line, F is 0 and has no logarithm.
    guard fluctuations.allSatisfy({ $0 > 0 }) else { throw MeasureError(.noVariation) }
    return DoubleLogarithm.slope(of: fluctuations, over: analysis.scales)
  }

  /// Returns F(s) in milliseconds for each window length *s*, or 0 if all runs of consecutive beats are
  /// shorter.
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

/// The least-squares line through equally spaced values.
enum LineFit {
  /// Returns the sum of squared distances of some values from their line.
  static func squaredDistances(of values: [Double], _ start: Int, _ count: Int) -> Double {
    let n = Double(count)
    let middle = (n - 1) / 2
    // Use values relative to the first, because subtracting squares of large sums would lose precision.
    let first = values[start]
    var (sum, squares, products) = (0.0, 0.0, 0.0)
    for offset in 0..<count {
      let value = values[start + offset] - first
      sum += value
      squares += value * value
      products += (Double(offset) - middle) * value
    }
    let spread = n * (n * n - 1) / 12
    return max(squares - sum * sum / n - products * products / spread, 0)
  }
}

/// Fits the exponent of a power law.
enum DoubleLogarithm {
  /// Returns the least-squares slope of the logarithms of values over the logarithms of their scales.
  ///
  /// - Parameter values: One positive value for each scale.
  static func slope(of values: [Double], over scales: ClosedRange<Int>) -> Double {
    let x = scales.map { log(Double($0)) }
    let y = values.map { log($0) }
    let (meanX, meanY) = (x.mean, y.mean)
    var (products, squares) = (0.0, 0.0)
    for (x, y) in zip(x, y) {
      products += (x - meanX) * (y - meanY)
      squares += (x - meanX) * (x - meanX)
    }
    return products / squares
  }
}
