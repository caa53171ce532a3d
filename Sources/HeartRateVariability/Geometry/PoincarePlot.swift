/// The widths of a Poincaré plot, which plots each NN interval against the previous one (Brennan, Palaniswami
/// and Kamen 2001). An ellipse with these widths describes the cloud of points.
///
/// ```swift
/// let plot = try series.poincarePlot()
/// print(plot.sd1, plot.sd2)
/// ```
public struct PoincarePlot: Hashable, Sendable {
  /// The standard deviation perpendicular to the line of identity in milliseconds, with the number of pairs
  /// minus one as divisor. It describes the variation from beat to beat.
  public let sd1: Double
  /// The standard deviation along the line of identity in milliseconds, with the number of pairs minus one as
  /// divisor.
  public let sd2: Double

  /// SD1 divided by SD2, or `nil` if SD2 is 0.
  public var ratio: Double? { sd2 > 0 ? sd1 / sd2 : nil }
  /// The area of the ellipse in ms².
  public var area: Double { .pi * sd1 * sd2 }
}

extension NNSeries {
  /// Returns SD1 and SD2 of the pairs of consecutive NN intervals.
  ///
  /// Both use the same pairs. The common formula SD2² = 2·SDNN² − SDSD²/2 also uses intervals that are not
  /// part of a pair. For five minutes its result differs by a few thousandths, and it may be negative.
  ///
  /// - Throws: `tooFewDifferences` below two, and the errors of the requirements.
  public func poincarePlot(_ requirements: Requirements = .usual) throws(MeasureError) -> PoincarePlot {
    try require(differences: 2)
    try require(requirements)
    var across: [Double] = []
    var along: [Double] = []
    across.reserveCapacity(differenceCount)
    along.reserveCapacity(differenceCount)
    for run in runs {
      for index in run.dropFirst() {
        across.append(intervals[index] - intervals[index - 1])
        along.append(intervals[index] + intervals[index - 1])
      }
    }
    return PoincarePlot(
      sd1: across.standardDeviation / 2.0.squareRoot(), sd2: along.standardDeviation / 2.0.squareRoot())
  }
}
