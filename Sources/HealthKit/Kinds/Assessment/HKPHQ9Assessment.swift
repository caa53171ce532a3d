public import Foundation

/// The answers to the nine questions of the PHQ-9 questionnaire on depression, given at one moment.
///
/// The initializers trap on invalid arguments (Apple's raise an exception); `validated` throws instead.
// @unchecked: HKObject is open. All state is `let`, Sendable or set before the object is shared.
open class HKPHQ9Assessment: HKScoredAssessment, @unchecked Sendable {
  /// The nine answers in the order of the questions.
  public let answers: [Answer]
  /// The risk indicated by the score.
  public let risk: Risk

  init(_ answers: [Answer], _ interval: SampleInterval, _ origin: ObjectOrigin) {
    let score = Self.score(answers)
    self.answers = answers
    risk = Risk(score: score)
    super.init(HKScoredAssessmentType(.PHQ9), score: score, interval, origin)
  }

  // MARK: - NSSecureCoding

  public override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    Self.encode(answers, with: coder)
  }

  public required init?(coder: NSCoder) {
    guard let answers = Self.answers(from: coder) else { return nil }
    self.answers = answers
    risk = Risk(score: Self.score(answers))
    super.init(coder: coder)
    guard score == Self.score(answers) else { return nil }
  }
}

extension HKPHQ9Assessment: Questionnaire {
  static var name: String { "PHQ-9" }
  static var questions: Int { 9 }
  static var type: HKScoredAssessmentTypeIdentifier { .PHQ9 }

  /// Returns the points of an answer. `preferNotToAnswer` counts as 0 points, although its raw value is 4.
  static func points(of answer: Answer) -> Int { answer == .preferNotToAnswer ? 0 : answer.rawValue }

  static func checkUnanswered(_ answers: [Answer]) throws(HKValidationError) {
    guard !answers.dropLast().contains(.preferNotToAnswer) else {
      throw HKValidationError("of a PHQ-9 only the last question may be left unanswered")
    }
  }
}

// MARK: - Creating assessments

extension HKPHQ9Assessment {
  /// Returns a new assessment after checking values that come from outside the program.
  ///
  /// ```swift
  /// let answers = numbers.compactMap(HKPHQ9Assessment.Answer.init(rawValue:))
  /// let assessment = try HKPHQ9Assessment.validated(date: .now, answers: answers)
  /// ```
  ///
  /// - Throws: `HKValidationError` if the number of answers is not nine, an answer other than the last is
  ///   `preferNotToAnswer`, or the metadata is invalid.
  public class func validated(
    date: Date, answers: [Answer], metadata: [String: Any]? = nil
  ) throws(HKValidationError) -> HKPHQ9Assessment {
    let interval = try interval(of: date, answers)
    return HKPHQ9Assessment(answers, interval, try ObjectOrigin(device: nil, metadata: metadata))
  }
}

extension HKPHQ9Assessment {
  private convenience init(as other: HKPHQ9Assessment) {
    self.init(other.answers, other.interval, other.origin)
  }

  /// Creates an assessment.
  /// - Parameters:
  ///   - answers: Nine answers in the order of the questions. Only the last may be `preferNotToAnswer`, which
  ///     counts as 0.
  ///   - metadata: Values are String, NSNumber, Date or HKQuantity. A sync identifier requires a sync
  ///     version.
  public convenience init(date: Date, answers: [HKPHQ9Assessment.Answer], metadata: [String: Any]?) {
    self.init(
      as: requiring(try HKPHQ9Assessment.validated(date: date, answers: answers, metadata: metadata)))
  }

  public convenience init(date: Date, answers: [HKPHQ9Assessment.Answer]) {
    self.init(date: date, answers: answers, metadata: nil)
  }
}

extension HKPHQ9Assessment.Risk {
  /// Creates the risk for a score: mild from 5, moderate from 10, moderately severe from 15, severe from 20.
  ///
  /// Cut-offs: Kroenke, Spitzer and Williams, "The PHQ-9: validity of a brief depression severity measure",
  /// Journal of General Internal Medicine 16 (2001).
  init(score: Int) {
    switch score {
    case ..<5: self = .noneToMinimal
    case ..<10: self = .mild
    case ..<15: self = .moderate
    case ..<20: self = .moderatelySevere
    default: self = .severe
    }
  }
}
