import Glibc

/// The tolerance of sample entropy (Richman and Moorman 2000): how unlikely it is that two stretches of two
/// intervals which resemble each other still do with the next interval.
public struct SampleEntropy: Hashable, Sendable {
  /// How far two intervals that resemble each other are apart at most, in standard deviations (SDNN).
  public let tolerance: Double

  /// A negative tolerance counts as zero.
  public init(tolerance: Double = 0.2) {
    self.tolerance = tolerance > 0 ? tolerance : 0
  }

  /// With fewer intervals the counts are too small to mean anything: 10² for stretches of two.
  static let leastIntervals = 100
  /// The work grows with the square.
  static let mostIntervals = 50_000
}

extension NNSeries {
  /// −ln(A/B): of pairs of stretches, B of those alike in two intervals, and A of those alike in three. A
  /// stretch is inside a run; none is compared with itself.
  ///
  /// - Throws: `tooFewIntervals` below a hundred, `windowTooLong` above 50,000, `noVariation`, `noMatches`
  ///   where A or B is zero, and what the requirements refuse.
  public func sampleEntropy(
    _ parameters: SampleEntropy = SampleEntropy(), requirements: Requirements = .usual
  ) throws(Refusal) -> Double {
    try require(intervals: SampleEntropy.leastIntervals)
    guard intervals.count <= SampleEntropy.mostIntervals else {
      throw Refusal(
        .windowTooLong, found: Double(intervals.count), needed: Double(SampleEntropy.mostIntervals))
    }
    try require(requirements)
    guard !isConstant else { throw Refusal(.noVariation) }
    let matches = StretchMatches(of: self, within: parameters.tolerance * intervals.standardDeviation)
    guard matches.ofTwo > 0, matches.ofThree > 0 else {
      throw Refusal(.noMatches, found: Double(matches.ofThree), needed: 1)
    }
    return log(Double(matches.ofTwo) / Double(matches.ofThree))
  }
}

/// Pairs of stretches whose intervals differ by no more than a tolerance.
private struct StretchMatches {
  private(set) var ofTwo = 0
  private(set) var ofThree = 0

  init(of series: NNSeries, within tolerance: Double) {
    var starts: [Int] = []
    for run in series.runs where run.count > 2 { starts += run.dropLast(2) }
    let intervals = series.intervals
    // In order of the first interval: those that resemble a stretch in it stand together.
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
