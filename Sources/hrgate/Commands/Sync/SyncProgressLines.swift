import HealthDataSync

/// Progress of several destinations for a terminal, one line each.
struct SyncProgressLines {
  /// Destination names in display order.
  let names: [String]
  private(set) var progress: [String: SyncProgress] = [:]
  /// Destinations that another process syncs to, with its process ID if known.
  private var elsewhere: [String: Int32?] = [:]

  init(_ names: [String]) { self.names = names }

  mutating func receive(_ name: String, _ progress: SyncProgress) {
    self.progress[name] = progress
    // Keep showing the other process until this process syncs the destination itself. It regularly checks
    // whether it can.
    if progress.state != .opening, progress.state != .ended { elsewhere[name] = nil }
  }

  mutating func receive(_ name: String, elsewhere process: Int32?) { elsewhere[name] = .some(process) }

  func lines(columns: Int) -> [String] {
    let width = names.map(\.columns).max() ?? 0
    return names.map { name in
      let text =
        elsewhere[name].map(Self.text(elsewhere:))
        ?? progress[name].map { Self.text($0, columns: columns - width - 2) } ?? ""
      return name + String(repeating: " ", count: width - name.columns + 2) + text
    }
  }

  private static func text(_ progress: SyncProgress, columns: Int) -> String {
    switch progress.state {
    case .opening: "connecting"
    case .waiting(let error, let pause):
      "retry in \(Age.text(seconds: max(1, pause.components.seconds))): \(error)".plain
    case .elsewhere(let process): text(elsewhere: process)
    case .idle, .ended: account(progress)
    case .carrying: bar(progress, columns: columns)
    }
  }

  private static func text(elsewhere process: Int32?) -> String {
    "sent by \(process.map { "process \($0)" } ?? "another program")"
  }

  private static func bar(_ progress: SyncProgress, columns: Int) -> String {
    let total = progress.carried + progress.pending
    let share = total == 0 ? 1 : Double(progress.carried) / Double(total)
    var parts = ["\(progress.carried) of \(total)"]
    if let rate = rate(progress) {
      parts.append("\(Int(rate.rounded()))/s")
      parts.append("\(Age.text(seconds: Int64((Double(progress.pending) / rate).rounded(.up)))) left")
    }
    let detail = parts.joined(separator: "  ")
    // The figures matter more than the bar, which gets the remaining columns.
    let room = min(ProgressBar.width, columns - detail.columns - 7)
    return (room < 5 ? "" : ProgressBar.text(share, width: room) + "  ") + detail
  }

  /// Minimum duration for a meaningful rate.
  private static let shortest = Duration.milliseconds(100)

  /// Samples and deletions per second since the run began; `nil` if there were none or the run is too short.
  static func rate(_ progress: SyncProgress) -> Double? {
    guard progress.sent + progress.deleted > 0, progress.timeCarrying >= shortest else { return nil }
    return Double(progress.sent + progress.deleted) / (progress.timeCarrying / .seconds(1))
  }

  /// Summary of what this run sent.
  static func account(_ progress: SyncProgress) -> String {
    guard progress.sent + progress.deleted > 0 else {
      return progress.setAside > 0 ? "the destination rejected everything" : "up to date"
    }
    var text = Counted.text(progress.sent, "sample")
    if progress.deleted > 0 { text += " and \(Counted.text(progress.deleted, "deletion"))" }
    text += " sent"
    return rate(progress).map { "\(text), \(Int($0.rounded()))/s" } ?? text
  }
}
