public import Foundation

/// A questionnaire with a score: an `HKGAD7Assessment` or an `HKPHQ9Assessment`.
// @unchecked: HKObject is open. All state is `let`, Sendable or set before the object is shared.
open class HKScoredAssessment: HKSample, @unchecked Sendable {
  /// The sum of the points of the answers.
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

  /// Decodes an assessment. Subclasses check the score against their answers.
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

/// The type of questionnaires with a score.
// @unchecked: HKObjectType is open. All state is `let` and Sendable.
public final class HKScoredAssessmentType: HKSampleType, @unchecked Sendable {}

extension HKInitializable where Self: HKScoredAssessmentType {
  /// Creates the type with an identifier.
  ///
  /// Traps if the identifier is unknown; `scoredAssessmentType(forIdentifier:)` returns nil instead.
  public init(_ identifier: HKScoredAssessmentTypeIdentifier) {
    self.init(instance: ObjectTypes.type(identifier.rawValue, as: HKScoredAssessmentType.self))
  }
}

// MARK: - Questionnaires

/// The common logic of questionnaires: a fixed number of answers, each worth some points.
protocol Questionnaire: HKScoredAssessment {
  associatedtype Answer: RawRepresentable where Answer.RawValue == Int

  static var name: String { get }
  static var questions: Int { get }
  static var type: HKScoredAssessmentTypeIdentifier { get }

  static func points(of answer: Answer) -> Int
  /// Checks additional rules for the answers, such as which may be left unanswered.
  static func checkUnanswered(_ answers: [Answer]) throws(HKValidationError)
}

extension Questionnaire {
  static func points(of answer: Answer) -> Int { answer.rawValue }
  static func checkUnanswered(_ answers: [Answer]) throws(HKValidationError) {}

  static func check(_ answers: [Answer]) throws(HKValidationError) {
    guard answers.count == questions else {
      throw HKValidationError("a \(name) has \(questions) answers, not \(answers.count)")
    }
    try checkUnanswered(answers)
  }

  static func score(_ answers: [Answer]) -> Int { answers.reduce(0) { $0 + points(of: $1) } }

  /// Returns the start and end of an assessment after checking its answers.
  static func interval(of date: Date, _ answers: [Answer]) throws(HKValidationError) -> SampleInterval {
    try check(answers)
    return try SampleInterval(start: date, end: date, of: HKScoredAssessmentType(type))
  }

  // MARK: - Archiving

  static func encode(_ answers: [Answer], with coder: NSCoder) {
    coder.encodeValues(answers, forKey: answersKey)
  }

  /// Decodes the answers, or returns nil if they are not valid for this questionnaire.
  static func answers(from coder: NSCoder) -> [Answer]? {
    guard HKSample.type(from: coder) == HKScoredAssessmentType(type),
      let answers = coder.values(Answer.self, forKey: answersKey), (try? check(answers)) != nil
    else { return nil }
    return answers
  }

  private static var answersKey: String { "answers" }
}
