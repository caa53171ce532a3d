/// How much of a window must be there, and how clean, before anything is computed of it.
public struct Requirements: Hashable, Sendable {
  /// Four fifths of the window, and at most every fifth interval wrong.
  public static let usual = Requirements(coverage: 0.8, artefactShare: 0.2)
  /// As usual, and at most every twentieth interval wrong: what α1 stands (Rogers and Gronwald 2022).
  public static let clean = Requirements(coverage: 0.8, artefactShare: 0.05)
  /// Whatever there is.
  public static let none = Requirements(coverage: 0, artefactShare: 1, overlap: .infinity)

  /// The least ``NNSeries/coverage``, 0 to 1.
  public var coverage: Double
  /// The most ``NNSeries/artefactShare``, 0 to 1.
  public var artefactShare: Double
  /// The most ``NNSeries/overlap``. A run that follows a delayed frame may overlap by some seconds; more
  /// means that beats are counted twice.
  public var overlap: Double

  public init(coverage: Double, artefactShare: Double, overlap: Double = 0.05) {
    self.coverage = coverage
    self.artefactShare = artefactShare
    self.overlap = overlap
  }
}

extension NNSeries {
  /// - Throws: `moreBeatsThanTime`, `lowCoverage` or `tooManyArtefacts`.
  public func require(_ requirements: Requirements) throws(Refusal) {
    guard overlap <= requirements.overlap else {
      throw Refusal(.moreBeatsThanTime, found: overlap, needed: requirements.overlap)
    }
    guard coverage >= requirements.coverage else {
      throw Refusal(.lowCoverage, found: coverage, needed: requirements.coverage)
    }
    guard artefactShare <= requirements.artefactShare else {
      throw Refusal(.tooManyArtefacts, found: artefactShare, needed: requirements.artefactShare)
    }
  }

  /// - Throws: `tooFewIntervals`.
  func require(intervals needed: Int) throws(Refusal) {
    guard intervals.count >= needed else {
      throw Refusal(.tooFewIntervals, found: Double(intervals.count), needed: Double(needed))
    }
  }

  /// - Throws: `tooFewDifferences`.
  func require(differences needed: Int) throws(Refusal) {
    guard differenceCount >= needed else {
      throw Refusal(.tooFewDifferences, found: Double(differenceCount), needed: Double(needed))
    }
  }

  /// Whether the intervals are all of one length.
  var isConstant: Bool {
    guard let first = intervals.first else { return true }
    return intervals.allSatisfy { $0 == first }
  }
}
