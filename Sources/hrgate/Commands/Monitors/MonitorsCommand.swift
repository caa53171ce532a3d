import ArgumentParser
import Bluetooth
import Gateway
import HealthDataSync
import HealthSystem

/// Shows the enrolled monitors and their gaps, and changes their settings.
struct MonitorsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "monitors",
    abstract:
      "List paired monitors, list the times without data, or correct a monitor that sends wrong values.",
    discussion: .paragraphs(
      """
      EXAMPLES
        hrgate monitors
        hrgate monitors --json
        hrgate monitors gaps --monitor C0:FF:EE:00:00:01 --last 20
        hrgate monitors set C0:FF:EE:00:00:01 --interval-unit ms
      """),
    subcommands: [MonitorsListCommand.self, MonitorsGapsCommand.self, MonitorsSetCommand.self],
    defaultSubcommand: MonitorsListCommand.self)
}

/// Prints the enrolled monitors.
struct MonitorsListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Print the paired monitors with their battery, firmware and state.")

  @OptionGroup var store: StoreOptions
  @Flag(help: "Print one JSON object for each monitor.")
  var json = false

  func run() async throws {
    let registry = try await MonitorRegistry(store.openForReading())
    let enrolled = try await registry.monitors()
    // Queried last: if the gateway ends meanwhile, its monitors are shown as stopped.
    let hasGateway = registry.hasGateway
    let monitors = enrolled.map { $0.printed(hasGateway: hasGateway) }
    if json {
      for monitor in monitors { try StandardOutput.write(JSONLine.text(monitor)) }
    } else if monitors.isEmpty {
      StandardError.print(
        "no monitor is paired; find monitors with: hrgate scan, then pair one with: hrgate pair ADDRESS")
    } else {
      for line in MonitorTable.lines(monitors) { try StandardOutput.write(line) }
    }
  }
}

/// Enrolled monitors as a table.
enum MonitorTable {
  private static let header = [
    "NAME", "ADDRESS", "LOCATION", "BATTERY", "FIRMWARE", "LAST SEEN", "BOND", "STATE",
  ]

  /// Adds a column for declared settings if a monitor has any.
  static func lines(_ monitors: [EnrolledMonitor]) -> [String] {
    let declared = monitors.map(\.declared)
    guard declared.contains(where: { !$0.isEmpty }) else {
      return TextTable.lines([header] + monitors.map(row))
    }
    let rows = zip(monitors, declared).map { row($0) + [$1.isEmpty ? "-" : $1] }
    return TextTable.lines([header + ["DECLARED"]] + rows)
  }

  private static func row(_ monitor: EnrolledMonitor) -> [String] {
    [
      monitor.name?.plain ?? "-", monitor.address.description,
      monitor.sensorLocation.map { "\($0)" } ?? "-",
      monitor.battery.map { "\($0) %" } ?? "-",
      monitor.deviceInformation[.firmwareRevisionString]?.plain ?? "-",
      monitor.lastSeen.map(Timestamp.text) ?? "never",
      monitor.isBonded ? "bonded" : "unbonded", monitor.state?.rawValue.plain ?? "-",
    ]
  }
}
