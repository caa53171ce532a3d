import ArgumentParser
import Ingestion

/// Prints the enrolled monitors.
struct MonitorsListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Print the enrolled monitors.")

  private static let header = [
    "NAME", "ADDRESS", "LOCATION", "BATTERY", "FIRMWARE", "LAST SEEN", "BOND",
  ]

  @OptionGroup var store: StoreOptions
  @Flag(help: "Print one JSON object for each monitor.")
  var json = false

  func run() async throws {
    let monitors = try await MonitorRegistry(store.openExisting()).monitors().map(MonitorRecord.init)
    if json {
      for monitor in monitors { try StandardOutput.write(JSONLine.text(monitor)) }
    } else if monitors.isEmpty {
      StandardError.write("No monitor is enrolled.")
    } else {
      for line in TextTable.lines([Self.header] + monitors.map(row)) { try StandardOutput.write(line) }
    }
  }

  private func row(_ monitor: MonitorRecord) -> [String] {
    [
      monitor.name?.plain ?? "-", monitor.address, monitor.location ?? "-",
      monitor.battery.map { "\($0) %" } ?? "-", monitor.firmware?.plain ?? "-", monitor.lastSeen ?? "never",
      monitor.bonded ? "bonded" : "unbonded",
    ]
  }
}
