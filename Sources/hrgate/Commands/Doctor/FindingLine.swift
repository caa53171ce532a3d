/// What `hrgate doctor --json` prints for a finding. The names are a promise.
struct FindingLine: Encodable {
  var check: String
  /// Absent where there is but one.
  var subject: String?
  /// `ok`, `warn` or `fail`.
  var verdict: String
  var finding: String
  /// What to do; absent where nothing needs to be done.
  var advice: String?

  init(_ finding: Finding) {
    check = finding.check
    subject = finding.subject
    verdict = finding.verdict.rawValue
    self.finding = finding.text
    advice = finding.advice
  }
}
