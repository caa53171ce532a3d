import Foundation

/// What the questionnaires have in common: so many answers, of which each counts some points.
protocol Questionnaire: HKScoredAssessment {
  associatedtype Answer: RawRepresentable where Answer.RawValue == Int

  static var name: String { get }
  static var questions: Int { get }
  static var type: HKScoredAssessmentTypeIdentifier { get }

  static func points(of answer: Answer) -> Int
  /// What else must hold of as many answers as there are questions.
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

  /// The moment of an assessment with these answers.
  static func interval(of date: Date, _ answers: [Answer]) throws(HKValidationError) -> SampleInterval {
    try check(answers)
    return try SampleInterval(start: date, end: date, of: HKScoredAssessmentType(type))
  }

  // MARK: - Archives

  static func encode(_ answers: [Answer], with coder: NSCoder) {
    coder.encodeValues(answers, forKey: answersKey)
  }

  /// nil for what no questionnaire of this kind could say.
  static func answers(from coder: NSCoder) -> [Answer]? {
    guard HKSample.type(from: coder) == HKScoredAssessmentType(type),
      let answers = coder.values(Answer.self, forKey: answersKey), (try? check(answers)) != nil
    else { return nil }
    return answers
  }

  private static var answersKey: String { "answers" }
}
