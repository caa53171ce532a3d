/// The ellipse of a Poincaré plot, in which each NN interval is drawn against the one before (Brennan,
/// Palaniswami and Kamen 2001).
public struct PoincarePlot: Hashable, Sendable {
  /// The standard deviation across the line of identity (divided by the number of pairs less one), in
  /// milliseconds: what changes from beat to beat.
  public let sd1: Double
  /// The standard deviation along the line of identity (divided by the number of pairs less one), in
  /// milliseconds.
  public let sd2: Double

  /// SD1 over SD2; `nil` where SD2 is zero.
  public var ratio: Double? { sd2 > 0 ? sd1 / sd2 : nil }
  /// The area of the ellipse, in ms².
  public var area: Double { .pi * sd1 * sd2 }
}

extension NNSeries {
  /// SD1 and SD2 of the pairs of neighbours inside runs.
  ///
  /// Both are of the same pairs. The common formula SD2² = 2·SDNN² − SDSD²/2 takes intervals that are in no
  /// pair, differs from this by some thousandths in five minutes, and may be negative.
  ///
  /// - Throws: `tooFewDifferences` below two, and what the requirements refuse.
  public func poincarePlot(_ requirements: Requirements = .usual) throws(Refusal) -> PoincarePlot {
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
