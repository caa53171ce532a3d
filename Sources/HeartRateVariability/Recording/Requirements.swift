/// The minimum coverage and quality that a window must have for a measure to be computed.
///
/// ```swift
/// let strict = Requirements(coverage: 0.95, artefactShare: 0.02)
/// print(try series.timeDomain(strict).rmssd)
/// ```
public struct Requirements: Hashable, Sendable {
  /// NN intervals cover at least four fifths of the window, and at most one interval in five is an artifact.
  public static let usual = Requirements(coverage: 0.8, artefactShare: 0.2)
  /// NN intervals cover at least four fifths of the window, and at most one interval in twenty is an
  /// artifact. α1 tolerates that many (Rogers and Gronwald 2022).
  public static let clean = Requirements(coverage: 0.8, artefactShare: 0.05)
  /// Accepts any coverage, and any number of artifacts.
  public static let none = Requirements(coverage: 0, artefactShare: 1, overlap: .infinity)

  /// Minimum ``NNSeries/coverage``, 0 to 1.
  public var coverage: Double
  /// Maximum ``NNSeries/artefactShare``, 0 to 1.
  public var artefactShare: Double
  /// Maximum ``NNSeries/overlap``. After a delayed frame, intervals may overlap by a few seconds. A greater
  /// overlap means that beats are counted twice.
  public var overlap: Double

  public init(coverage: Double, artefactShare: Double, overlap: Double = 0.05) {
    self.coverage = coverage
    self.artefactShare = artefactShare
    self.overlap = overlap
  }
}

extension NNSeries {
  /// Checks the coverage, artifacts and overlap of the series.
  ///
  /// - Throws: `moreBeatsThanTime`, `lowCoverage` or `tooManyArtefacts`.
  public func require(_ requirements: Requirements) throws(MeasureError) {
    guard overlap <= requirements.overlap else {
      throw MeasureError(.moreBeatsThanTime, found: overlap, needed: requirements.overlap)
    }
    guard coverage >= requirements.coverage else {
      throw MeasureError(.lowCoverage, found: coverage, needed: requirements.coverage)
    }
    guard artefactShare <= requirements.artefactShare else {
      throw MeasureError(.tooManyArtefacts, found: artefactShare, needed: requirements.artefactShare)
    }
  }

  /// Checks the number of intervals.
  ///
  /// - Throws: `tooFewIntervals`.
  func require(intervals needed: Int) throws(MeasureError) {
    guard intervals.count >= needed else {
      throw MeasureError(.tooFewIntervals, found: Double(intervals.count), needed: Double(needed))
    }
  }

  /// Checks the number of differences.
  ///
  /// - Throws: `tooFewDifferences`.
  func require(differences needed: Int) throws(MeasureError) {
    guard differenceCount >= needed else {
      throw MeasureError(.tooFewDifferences, found: Double(differenceCount), needed: Double(needed))
    }
  }

  /// Whether all intervals are equal.
  var isConstant: Bool {
    guard let first = intervals.first else { return true }
    return intervals.allSatisfy { $0 == first }
  }
}
