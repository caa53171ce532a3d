/// Enrolled monitors, for people.
enum MonitorTable {
  private static let header = [
    "NAME", "ADDRESS", "LOCATION", "BATTERY", "FIRMWARE", "LAST SEEN", "BOND", "STATE",
  ]

  static func lines(_ monitors: [MonitorLine]) -> [String] { TextTable.lines([header] + monitors.map(row)) }

  private static func row(_ monitor: MonitorLine) -> [String] {
    [
      monitor.name?.plain ?? "-", monitor.address, monitor.location ?? "-",
      monitor.battery.map { "\($0) %" } ?? "-", monitor.firmware?.plain ?? "-", monitor.lastSeen ?? "never",
      monitor.bonded ? "bonded" : "unbonded", monitor.state?.plain ?? "-",
    ]
  }
}
