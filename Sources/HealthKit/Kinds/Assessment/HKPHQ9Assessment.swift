public import Foundation

/// The nine questions on depression of the PHQ-9, answered at one moment.
///
/// The initialisers trap where Apple's raise an exception; `validated` throws the reason instead.
// @unchecked: as for HKObject.
open class HKPHQ9Assessment: HKScoredAssessment, @unchecked Sendable {
  /// In the order of the questions, nine of them.
  public let answers: [Answer]
  /// What the score points to.
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

  /// A question left unanswered counts nothing, though the raw value of that is 4.
  static func points(of answer: Answer) -> Int { answer == .preferNotToAnswer ? 0 : answer.rawValue }

  static func checkUnanswered(_ answers: [Answer]) throws(HKValidationError) {
    guard !answers.dropLast().contains(.preferNotToAnswer) else {
      throw HKValidationError("of a PHQ-9 only the last question may be left unanswered")
    }
  }
}

// MARK: - Making assessments

extension HKPHQ9Assessment {
  /// A new assessment, or the reason why there cannot be one: for values that come from outside.
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

  /// - Parameters:
  ///   - answers: nine, in the order of the questions; only the last may be `preferNotToAnswer`, which counts
  ///     nothing.
  ///   - metadata: values are String, NSNumber, Date or HKQuantity; a sync identifier needs a sync version.
  public convenience init(date: Date, answers: [HKPHQ9Assessment.Answer], metadata: [String: Any]?) {
    self.init(
      as: requiring(try HKPHQ9Assessment.validated(date: date, answers: answers, metadata: metadata)))
  }

  public convenience init(date: Date, answers: [HKPHQ9Assessment.Answer]) {
    self.init(date: date, answers: answers, metadata: nil)
  }
}
