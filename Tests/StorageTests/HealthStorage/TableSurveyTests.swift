import Testing

@testable import HealthStorage

/// Tests surveys of damaged tables, in which some rows cannot be read.
@Suite struct TableSurveyTests {
  @Test func `a hole has the times around it, and one at the end has no next row`() {
    var finding = TableSurvey.Finding(TableSurvey(table: "t"))
    finding.meet(.min, 4)
    finding.read(40)
    finding.read(50)
    finding.meet(6, 8)
    finding.read(80)
    finding.meet(9, 20)
    let survey = finding.end(isWhole: false)
    #expect(
      survey.holes == [
        TableSurvey.Hole(first: 1, next: 4, before: nil, after: 40),
        TableSurvey.Hole(first: 6, next: 8, before: 50, after: 80),
        TableSurvey.Hole(first: 9, next: nil, before: 80, after: nil),
      ])
    #expect(survey.rows == 3 && survey.furtherHoles == 0 && !survey.isWhole)
  }

  @Test(arguments: [true, false])
  func `holes beyond the limit are counted, and the last listed one is unchanged`(
    endsBehindRow: Bool
  ) {
    var finding = TableSurvey.Finding(TableSurvey(table: "t"))
    let count = Int64(TableSurvey.mostHoles) + 7
    for number in 1...count {
      finding.meet(number * 10, number * 10 + 5)
      if number < count || endsBehindRow { finding.read(number) }
    }
    let survey = finding.end(isWhole: false)
    #expect(survey.holes.count == TableSurvey.mostHoles && survey.furtherHoles == 7)
    let (number, last) = (Int64(TableSurvey.mostHoles), survey.holes.last)
    #expect(last?.next == number * 10 + 5 && last?.before == number - 1 && last?.after == number)
  }
}
