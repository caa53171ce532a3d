import ArgumentParser
import HealthDataSync

/// Checks the machine for problems that affect the gateway.
struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract:
      "Find out why measurements are missing: check Bluetooth, the store, the service and each monitor.",
    discussion: .paragraphs(
      """
      Checks the kernel, rfkill, D-Bus, bluetoothd, the adapter, scans that never end, the supervision timeout, the clock, the store (database
      file), the service, and each paired monitor: its battery, its bond, when it was last seen, and how its connections end. Each result is
      ok, warn or fail, and says what to do.

      It changes nothing and does not disturb a running gateway. It takes up to 20 seconds while a scan is running. Some checks need root.
      With sudo it checks the store, service and monitors of the user who called sudo.

      Exit status: 0 if no check fails, even with warnings; 1 if a check fails; 2 for wrong usage.

      EXAMPLES
        hrgate doctor
        hrgate doctor --json | jq 'select(.verdict != "ok")'
        sudo hrgate doctor
      """))

  @OptionGroup var store: StoreOptions
  @Flag(help: "Print one JSON object for each result.")
  var json = false

  func run() async throws {
    let findings = try await FactGathering(store).facts().findings
    for line in try json ? findings.map({ try JSONLine.text(FindingLine($0)) }) : FindingTable.lines(findings)
    {
      try StandardOutput.write(line)
    }
    guard !findings.contains(where: { $0.verdict == .fail }) else {
      try StandardOutput.flush()
      throw ExitCode(1)
    }
  }
}

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
