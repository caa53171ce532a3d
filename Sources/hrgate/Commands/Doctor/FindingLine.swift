/// The JSON object that `hrgate doctor --json` prints for a finding. The names are stable.
struct FindingLine: Encodable {
  var check: String
  /// The monitor or adapter of the finding; absent if the check has only one subject.
  var subject: String?
  /// `ok`, `warn` or `fail`.
  var verdict: String
  var finding: String
  /// What to do; absent if nothing is needed.
  var advice: String?

  init(_ finding: Finding) {
    check = finding.check
    subject = finding.subject
    verdict = finding.verdict.rawValue
    self.finding = finding.text
    advice = finding.advice
  }
}
