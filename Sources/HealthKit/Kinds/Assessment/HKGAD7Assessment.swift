public import Foundation

/// The answers to the seven questions of the GAD-7 questionnaire on anxiety, given at one moment.
///
/// The initializers trap on invalid arguments (Apple's raise an exception); `validated` throws instead.
// @unchecked: HKObject is open. All state is `let`, Sendable or set before the object is shared.
open class HKGAD7Assessment: HKScoredAssessment, @unchecked Sendable {
  /// The seven answers in the order of the questions.
  public let answers: [Answer]
  /// The risk indicated by the score.
  public let risk: Risk

  init(_ answers: [Answer], _ interval: SampleInterval, _ origin: ObjectOrigin) {
    let score = Self.score(answers)
    self.answers = answers
    risk = Risk(score: score)
    super.init(HKScoredAssessmentType(.GAD7), score: score, interval, origin)
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

extension HKGAD7Assessment: Questionnaire {
  static var name: String { "GAD-7" }
  static var questions: Int { 7 }
  static var type: HKScoredAssessmentTypeIdentifier { .GAD7 }
}

// MARK: - Creating assessments

extension HKGAD7Assessment {
  /// Returns a new assessment after checking values that come from outside the program.
  ///
  /// ```swift
  /// let answers = numbers.compactMap(HKGAD7Assessment.Answer.init(rawValue:))
  /// let assessment = try HKGAD7Assessment.validated(date: .now, answers: answers)
  /// ```
  ///
  /// - Throws: `HKValidationError` if the number of answers is not seven, or the metadata is invalid.
  public class func validated(
    date: Date, answers: [Answer], metadata: [String: Any]? = nil
  ) throws(HKValidationError) -> HKGAD7Assessment {
    let interval = try interval(of: date, answers)
    return HKGAD7Assessment(answers, interval, try ObjectOrigin(device: nil, metadata: metadata))
  }
}

extension HKGAD7Assessment {
  private convenience init(as other: HKGAD7Assessment) {
    self.init(other.answers, other.interval, other.origin)
  }

  /// Creates an assessment.
  /// - Parameters:
  ///   - answers: Seven answers in the order of the questions.
  ///   - metadata: Values are String, NSNumber, Date or HKQuantity. A sync identifier requires a sync
  ///     version.
  public convenience init(date: Date, answers: [HKGAD7Assessment.Answer], metadata: [String: Any]?) {
    self.init(
      as: requiring(try HKGAD7Assessment.validated(date: date, answers: answers, metadata: metadata)))
  }

  public convenience init(date: Date, answers: [HKGAD7Assessment.Answer]) {
    self.init(date: date, answers: answers, metadata: nil)
  }
}

extension HKGAD7Assessment.Risk {
  /// Creates the risk for a score: mild from 5, moderate from 10, severe from 15.
  ///
  /// Cut-offs: Spitzer, Kroenke, Williams and Löwe, "A brief measure for assessing generalized anxiety
  /// disorder: the GAD-7", Archives of Internal Medicine 166 (2006).
  init(score: Int) {
    switch score {
    case ..<5: self = .noneToMinimal
    case ..<10: self = .mild
    case ..<15: self = .moderate
    default: self = .severe
    }
  }
}
