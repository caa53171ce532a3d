/// Findings as a table: one line each, with the advice below it.
enum FindingTable {
  private static let margin = "      → "

  static func lines(_ findings: [Finding]) -> [String] {
    let rows = TextTable.lines(
      findings.map { finding in
        [
          finding.verdict.rawValue, finding.check,
          ((finding.subject.map { "\($0): " } ?? "") + finding.text).plain,
        ]
      })
    return zip(rows, findings).flatMap { row, finding in
      [row] + (finding.advice.map { [margin + $0.plain] } ?? [])
    }
  }
}
