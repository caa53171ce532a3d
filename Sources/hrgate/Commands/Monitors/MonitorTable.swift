import HealthDataSync
import HealthSystem

/// Enrolled monitors as a table.
enum MonitorTable {
  private static let header = [
    "NAME", "ADDRESS", "LOCATION", "BATTERY", "FIRMWARE", "LAST SEEN", "BOND", "STATE",
  ]

  /// Adds a column for declared settings if a monitor has any.
  static func lines(_ monitors: [MonitorView]) -> [String] {
    let declared = monitors.map(\.declared)
    guard declared.contains(where: { !$0.isEmpty }) else {
      return TextTable.lines([header] + monitors.map(row))
    }
    let rows = zip(monitors, declared).map { row($0) + [$1.isEmpty ? "-" : $1] }
    return TextTable.lines([header + ["DECLARED"]] + rows)
  }

  private static func row(_ monitor: MonitorView) -> [String] {
    [
      monitor.name?.plain ?? "-", monitor.address, monitor.location ?? "-",
      monitor.battery.map { "\($0) %" } ?? "-", monitor.firmware?.plain ?? "-",
      monitor.lastSeen.map(Timestamp.text) ?? "never",
      monitor.bonded ? "bonded" : "unbonded", monitor.state?.plain ?? "-",
    ]
  }
}
