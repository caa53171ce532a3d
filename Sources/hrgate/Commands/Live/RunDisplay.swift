import Bluetooth
import BlueZ
import Foundation
import Ingestion
import Synchronization

/// What a running gateway shows: one line for each monitor on a terminal, a line for each change elsewhere.
final class RunDisplay: Sendable {
  private struct Line {
    var status: FollowStatus
    var since: Date
  }

  private struct Event: Encodable {
    var time: String
    var monitor: String
    var name: String?
    var state: String
    var adapter: String?
    var detail: String?
    var advice: String?
  }

  private let isJSON: Bool
  private let table: LiveTable
  private let state = Mutex((names: [BluetoothAddress: String](), lines: [BluetoothAddress: Line]()))

  init(isJSON: Bool) {
    self.isJSON = isJSON
    table = LiveTable(isVisible: !isJSON && StandardOutput.isTerminal)
  }

  func setNames(_ monitors: [EnrolledMonitor]) {
    state.withLock { state in
      state.names = Dictionary(
        monitors.map { ($0.address, $0.name ?? "") }, uniquingKeysWith: { first, _ in first })
      state.lines = state.lines.filter { state.names[$0.key] != nil }
    }
    if monitors.isEmpty {
      StandardError.write(
        "No monitor is enrolled yet: hrgate scan shows which there are, hrgate pair ADDRESS enrols one.")
    }
  }

  func tell(_ status: FollowStatus) {
    let now = Date()
    let (name, lines) = state.withLock { state in
      state.lines[status.monitor] = Line(status: status, since: now)
      return (state.names[status.monitor], Self.lines(state.names, state.lines))
    }
    if table.isVisible { return table.show(lines) }
    let event = Event(
      time: Timestamp.text(now), monitor: status.monitor.description, name: name,
      state: status.state.rawValue,
      adapter: status.adapter?.description, detail: status.detail, advice: status.state.advice)
    let text = try? isJSON ? JSONLine.text(event) : Self.text(event)
    // A reader that is gone does not end the gateway.
    if let text { try? StandardOutput.write(text) }
    try? StandardOutput.flush()
  }

  func end(_ tally: IngestionTally) { table.end() }

  private static func text(_ event: Event) -> String {
    [
      event.time, event.monitor, (event.name ?? "").plain, event.state, event.detail?.plain, event.advice,
    ].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: "  ")
  }

  private static func lines(_ names: [BluetoothAddress: String], _ lines: [BluetoothAddress: Line])
    -> [String]
  {
    let rows = lines.values.sorted { $0.status.monitor.bits < $1.status.monitor.bits }.map { line in
      [
        line.status.monitor.description, (names[line.status.monitor] ?? "").plain, line.status.state.rawValue,
        "since \(Timestamp.text(line.since).dropFirst(11).prefix(8)) UTC",
        line.status.state.advice ?? line.status.detail?.plain ?? "",
      ]
    }
    return TextTable.lines(rows)
  }
}
