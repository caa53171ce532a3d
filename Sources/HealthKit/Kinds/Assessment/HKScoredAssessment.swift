public import Foundation

/// A questionnaire whose answers add up to a score: an `HKGAD7Assessment` or an `HKPHQ9Assessment`.
// @unchecked: as for HKObject.
open class HKScoredAssessment: HKSample, @unchecked Sendable {
  /// The sum of the answers.
  public let score: Int

  init(_ type: HKScoredAssessmentType, score: Int, _ interval: SampleInterval, _ origin: ObjectOrigin) {
    self.score = score
    super.init(type, interval, origin)
  }

  // MARK: - NSSecureCoding

  public override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(score, forKey: ArchiveKey.score)
  }

  /// A subclass checks the score against its answers.
  public required init?(coder: NSCoder) {
    guard HKSample.type(from: coder) is HKScoredAssessmentType,
      let score = coder.integer(forKey: ArchiveKey.score)
    else { return nil }
    self.score = score
    super.init(coder: coder)
    guard startDate == endDate else { return nil }
  }

  private enum ArchiveKey {
    static let score = "score"
  }
}
