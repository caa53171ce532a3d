import Glibc

/// The parameters of sample entropy (Richman and Moorman 2000). It describes how unlikely it is that two
/// similar pairs of consecutive intervals are followed by similar intervals.
///
/// ```swift
/// let entropy = try series.sampleEntropy()
/// ```
public struct SampleEntropy: Hashable, Sendable {
  /// The maximum difference between intervals that count as similar, in standard deviations (SDNN).
  public let tolerance: Double

  /// Creates parameters. A negative tolerance counts as 0.
  public init(tolerance: Double = 0.2) {
    self.tolerance = tolerance > 0 ? tolerance : 0
  }

  /// Minimum number of intervals. For sequences of two intervals, the authors recommend 10²: with fewer, the
  /// counts are too small to be meaningful.
  static let leastIntervals = 100
  /// Maximum number of intervals, because the cost grows with its square.
  static let mostIntervals = 50_000
}

extension NNSeries {
  /// Returns −ln(A/B). B is the number of pairs of similar sequences of two intervals, and A is that of three
  /// intervals. A sequence never spans a gap or an artifact, and is not compared with itself.
  ///
  /// - Throws: `tooFewIntervals` below 100, `windowTooLong` above 50,000, `noVariation`, `noMatches` if A or
  ///   B is 0, and the errors of the requirements.
  public func sampleEntropy(
    _ parameters: SampleEntropy = SampleEntropy(), requirements: Requirements = .usual
  ) throws(MeasureError) -> Double {
    try require(intervals: SampleEntropy.leastIntervals)
    guard intervals.count <= SampleEntropy.mostIntervals else {
      throw MeasureError(
        .windowTooLong, found: Double(intervals.count), needed: Double(SampleEntropy.mostIntervals))
    }
    try require(requirements)
    guard !isConstant else { throw MeasureError(.noVariation) }
    let matches = StretchMatches(of: self, within: parameters.tolerance * intervals.standardDeviation)
    guard matches.ofTwo > 0, matches.ofThree > 0 else {
      throw MeasureError(.noMatches, found: Double(matches.ofThree), needed: 1)
    }
    return log(Double(matches.ofTwo) / Double(matches.ofThree))
  }
}

/// Counts pairs of sequences whose intervals differ by at most the tolerance.
private struct StretchMatches {
  private(set) var ofTwo = 0
  private(set) var ofThree = 0

  init(of series: NNSeries, within tolerance: Double) {
    var starts: [Int] = []
    for run in series.runs where run.count > 2 { starts += run.dropLast(2) }
    let intervals = series.intervals
    // Sort the sequences by their first interval, so that possible matches are adjacent.
    starts.sort { intervals[$0] < intervals[$1] }
    let first = starts.map { intervals[$0] }
    let second = starts.map { intervals[$0 + 1] }
    let third = starts.map { intervals[$0 + 2] }
    for one in first.indices {
      var other = one + 1
      while other < first.count, first[other] - first[one] <= tolerance {
        let isAlike = abs(second[other] - second[one]) <= tolerance
        let isAlikeNext = isAlike && abs(third[other] - third[one]) <= tolerance
        ofTwo += isAlike ? 1 : 0
        ofThree += isAlikeNext ? 1 : 0
        other += 1
      }
    }
  }
}
