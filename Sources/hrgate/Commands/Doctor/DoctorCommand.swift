import ArgumentParser
import HealthDataSync

/// Looks for what stands in the gateway's way.
struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Look for what stands in the gateway's way on this machine.",
    discussion: .paragraphs(
      """
      Looks at the kernel, rfkill, the bus, bluetoothd, the adapter, discoveries that do not end, the supervision timeout, the clock, the
      store, the service, and each enrolled monitor: its battery, its bond, when it was last there, and how its links end. Each finding is
      ok, warn or fail, with what to do about it.

      Nothing is changed, and a gateway that runs is not disturbed. Where a discovery goes on, it takes up to 20 seconds. Some things only
      root is told. Under sudo the store, the service and the monitors are those of whoever called sudo.

      Exit status: 0 where nothing fails, warnings or not; 1 where something does; 2 wrong usage.

      EXAMPLES
        hrgate doctor
        hrgate doctor --json | jq 'select(.verdict != "ok")'
        sudo hrgate doctor
      """))

  @OptionGroup var store: StoreOptions
  @Flag(help: "Print one JSON object for each finding.")
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
