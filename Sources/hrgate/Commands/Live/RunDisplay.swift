import Bluetooth
import BluetoothCentral
import BlueZ
import Foundation
import Glibc
import Ingestion
import Synchronization

/// What a running gateway shows: one line for each monitor on a terminal, a line for each event elsewhere. No values: they are
/// the store's, and what is written here may end in a log.
///
/// Whoever tells it something does not wait for a reader: it is told on the thread that reads the bus.
final class RunDisplay: Sendable {
  private struct Line {
    var status: FollowStatus
    var since: Date
    var measurements = 0
  }

  private struct State {
    var names: [BluetoothAddress: String] = [:]
    var lines: [BluetoothAddress: Line] = [:]
    var storeFailure: String?
  }

  private let isJSON: Bool
  private let table: LiveTable
  private let lines: EventLines
  private let notices: EventLines
  private let state = Mutex(State())

  init(isJSON: Bool) {
    self.isJSON = isJSON
    table = LiveTable(isVisible: !isJSON && StandardOutput.isTerminal)
    lines = EventLines(to: STDOUT_FILENO) { count in
      (isJSON ? try? JSONLine.text(RunEvent.Dropped(count: count)) : nil)
        ?? "\(count) lines are missing here: nobody read them"
    }
    notices = EventLines(to: STDERR_FILENO) { "\($0) notices are missing here: nobody read them" }
  }

  func setNames(_ monitors: [EnrolledMonitor]) {
    state.withLock { state in
      state.names = Dictionary(
        monitors.map { ($0.address, $0.name ?? "") }, uniquingKeysWith: { first, _ in first })
      state.lines = state.lines.filter { state.names[$0.key] != nil }
    }
    if monitors.isEmpty {
      notices.write(
        "No monitor is enrolled yet: hrgate scan shows which there are, hrgate pair ADDRESS enrols one.")
    }
  }

  /// A monitor's state has changed; of one that was forgotten nothing is shown any more.
  func tell(_ status: FollowStatus) {
    let now = Date()
    let name: String? = state.withLock { state in
      guard let name = state.names[status.monitor] else { return nil }
      let measurements = state.lines[status.monitor]?.measurements ?? 0
      state.lines[status.monitor] = Line(status: status, since: now, measurements: measurements)
      return name
    }
    guard let name, !redraw() else { return }
    let event = RunEvent.State(status, name: name, at: now)
    write(event) {
      [event.time, event.monitor, name.plain, event.state, event.detail?.plain, event.advice]
    }
  }

  /// The pipeline has tried to commit.
  func tell(_ status: IngestionStatus) {
    let failure = status.failure?.localizedDescription
    let hasChanged = state.withLock { state in
      for monitor in status.tally.monitors {
        guard case .address(let address) = monitor.peripheral else { continue }
        state.lines[address]?.measurements = monitor.measurements
      }
      defer { state.storeFailure = failure }
      return state.storeFailure != failure
    }
    guard !redraw(), hasChanged else { return }
    let event = RunEvent.Store(time: Timestamp.text(Date()), heldBack: status.heldBack, failure: failure)
    write(event) {
      [
        event.time,
        failure.map { "the store cannot be written to: \($0)" } ?? "the store can be written to again",
        "\(event.heldBack) samples wait",
      ]
    }
  }

  /// - Throws: ``ClosedPipe`` where the reader is gone; ``Failure`` where what was written last is not read.
  func end(_ tally: IngestionTally) throws {
    _ = redraw()
    try table.end()
    let event = RunEvent.End(tally, at: Date())
    let rejected = tally.rejected.values.reduce(0, +)
    lines.write(
      try isJSON
        ? JSONLine.text(event)
        : "\(tally.measurements) measurements: \(tally.storedMeasurements) stored, \(tally.duplicates) duplicates, \(rejected) rejected"
    )
    try lines.finish()
  }

  // MARK: - Steps

  /// - Returns: Whether there is a terminal, which shows everything in place.
  private func redraw() -> Bool {
    guard table.isVisible else { return false }
    table.show(state.withLock { Self.lines($0) })
    return true
  }

  private func write(_ event: some Encodable, _ fields: () -> [String?]) {
    let line =
      try? isJSON
      ? JSONLine.text(event) : fields().compactMap(\.self).filter { !$0.isEmpty }.joined(separator: "  ")
    // A reader that is gone, or does not read, does not end the gateway: its work is the store's.
    if let line { lines.write(line) }
  }

  private static func lines(_ state: State) -> [String] {
    let rows = state.lines.values.sorted { $0.status.monitor.bits < $1.status.monitor.bits }.map { line in
      [
        (state.names[line.status.monitor] ?? "").plain, line.status.monitor.description,
        line.status.state.rawValue,
        "since \(Timestamp.text(line.since).dropFirst(11).prefix(8)) UTC",
        "\(line.measurements) measurements",
        line.status.state.advice ?? line.status.detail?.plain ?? "",
      ]
    }
    return TextTable.lines(rows)
      + (state.storeFailure.map { ["The store cannot be written to: \($0)"] } ?? [])
  }
}
