public import Foundation

/// The seven questions on anxiety of the GAD-7, answered at one moment.
///
/// The initialisers trap where Apple's raise an exception; `validated` throws the reason instead.
// @unchecked: as for HKObject.
open class HKGAD7Assessment: HKScoredAssessment, @unchecked Sendable {
  /// In the order of the questions, seven of them.
  public let answers: [Answer]
  /// What the score points to.
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

// MARK: - Making assessments

extension HKGAD7Assessment {
  /// A new assessment, or the reason why there cannot be one: for values that come from outside.
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

  /// - Parameters:
  ///   - answers: seven, in the order of the questions.
  ///   - metadata: values are String, NSNumber, Date or HKQuantity; a sync identifier needs a sync version.
  public convenience init(date: Date, answers: [HKGAD7Assessment.Answer], metadata: [String: Any]?) {
    self.init(
      as: requiring(try HKGAD7Assessment.validated(date: date, answers: answers, metadata: metadata)))
  }

  public convenience init(date: Date, answers: [HKGAD7Assessment.Answer]) {
    self.init(date: date, answers: answers, metadata: nil)
  }
}
