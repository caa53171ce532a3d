import HealthKit
import Testing

@Suite struct ScoredAssessmentTests {
  private func gad7(_ answers: [Int]) throws -> HKGAD7Assessment {
    try .validated(date: moment(), answers: answers.compactMap(HKGAD7Assessment.Answer.init(rawValue:)))
  }

  private func phq9(_ answers: [Int]) throws -> HKPHQ9Assessment {
    try .validated(date: moment(), answers: answers.compactMap(HKPHQ9Assessment.Answer.init(rawValue:)))
  }

  /// Returns `count` answers that add up to `score`.
  private func answers(_ score: Int, of count: Int) -> [Int] {
    (0..<count).map { min(max(score - 3 * $0, 0), 3) }
  }

  @Test func `an assessment is an instant, and its score is the sum`() throws {
    let gad7 = try gad7([0, 1, 2, 3, 0, 1, 2])
    #expect(gad7.score == 9)
    #expect(gad7.risk == .mild)
    #expect(gad7.answers.map(\.rawValue) == [0, 1, 2, 3, 0, 1, 2])
    #expect(gad7.startDate == moment() && gad7.endDate == moment())
    #expect(gad7.sampleType == HKScoredAssessmentType(.GAD7))
    let phq9: HKScoredAssessment = try phq9([1, 1, 1, 1, 1, 1, 1, 1, 3])
    #expect(phq9.score == 11)
    #expect(phq9.sampleType == HKScoredAssessmentType(.PHQ9))
  }

  @Test(
    arguments: [
      (0, .noneToMinimal), (4, .noneToMinimal), (5, .mild), (9, .mild), (10, .moderate), (14, .moderate),
      (15, .severe), (21, .severe),
    ] as [(Int, HKGAD7Assessment.Risk)])
  func `the risk of a GAD-7 follows its cutoffs`(score: Int, risk: HKGAD7Assessment.Risk) throws {
    let assessment = try gad7(answers(score, of: 7))
    #expect(assessment.score == score)
    #expect(assessment.risk == risk)
  }

  @Test(
    arguments: [
      (0, .noneToMinimal), (4, .noneToMinimal), (5, .mild), (9, .mild), (10, .moderate), (14, .moderate),
      (15, .moderatelySevere), (19, .moderatelySevere), (20, .severe), (27, .severe),
    ] as [(Int, HKPHQ9Assessment.Risk)])
  func `the risk of a PHQ-9 follows its cutoffs`(score: Int, risk: HKPHQ9Assessment.Risk) throws {
    let assessment = try phq9(answers(score, of: 9))
    #expect(assessment.score == score)
    #expect(assessment.risk == risk)
  }

  @Test func eachHasItsNumberOfAnswers() {
    for count in [0, 6, 8, 9] {
      #expect(throws: HKValidationError.self) { try gad7(answers(0, of: count)) }
    }
    for count in [0, 7, 8, 10] {
      #expect(throws: HKValidationError.self) { try phq9(answers(0, of: count)) }
    }
  }

  @Test func `only the last question of a PHQ-9 may be unanswered`() throws {
    let assessment = try phq9([3, 3, 3, 3, 3, 3, 3, 3, 4])
    #expect(assessment.answers.last == .preferNotToAnswer)
    #expect(assessment.score == 24)
    #expect(throws: HKValidationError.self) { try phq9([3, 3, 3, 3, 3, 3, 3, 4, 3]) }
    #expect(throws: HKValidationError.self) { try phq9([4, 3, 3, 3, 3, 3, 3, 3, 4]) }
  }

  @Test func `both initializers create an assessment`() {
    let none = [HKGAD7Assessment.Answer](repeating: .notAtAll, count: 7)
    #expect(HKGAD7Assessment(date: moment(), answers: none).metadata == nil)
    #expect(HKGAD7Assessment(date: moment(), answers: none, metadata: ["k": 1]).metadata?.count == 1)
    let some = [HKPHQ9Assessment.Answer](repeating: .severalDays, count: 9)
    #expect(HKPHQ9Assessment(date: moment(), answers: some).risk == .mild)
    #expect(HKPHQ9Assessment(date: moment(), answers: some, metadata: [:]).score == 9)
  }

  @Test func `the initializers trap if Apple's raise an exception`() async {
    await #expect(processExitsWith: .failure) { _ = HKGAD7Assessment(date: moment(), answers: []) }
    await #expect(processExitsWith: .failure) { _ = HKPHQ9Assessment(date: moment(), answers: []) }
  }

  @Test func `answers, score and risk can be archived`() throws {
    let gad7 = try gad7([0, 1, 2, 3, 0, 1, 2])
    let found = try #require(try archived(gad7))
    #expect(found == gad7)
    #expect(found.answers == gad7.answers)
    #expect(found.score == 9)
    #expect(found.risk == .mild)
    let phq9 = try phq9([3, 3, 3, 3, 3, 3, 3, 3, 4])
    #expect(try archived(phq9)?.answers == phq9.answers)
    #expect(try archived(phq9)?.score == 24)
  }

  @Test func `an archive with invalid values is rejected`() throws {
    for (old, new) in [(9, 8), (3, 4), (3, 2)] {
      #expect(
        try isRefused(
          gad7([0, 1, 2, 3, 0, 1, 2]), replacing: NSNumber(value: old), with: NSNumber(value: new)))
    }
    #expect(
      try isRefused(
        phq9([2, 3, 3, 3, 3, 3, 3, 3, 3]), replacing: NSNumber(value: 2), with: NSNumber(value: 4)))
  }
}
