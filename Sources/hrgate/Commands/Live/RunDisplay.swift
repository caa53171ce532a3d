import Bluetooth
import BluetoothCentral
import BlueZ
import Foundation
import Gateway
import Glibc
import Ingestion

/// What a running gateway shows: one line for each monitor on a terminal, a line for each event elsewhere. No
/// values: they are the store's, and what is written here may end in a log.
struct RunDisplay {
  private struct Line {
    var status: FollowStatus
    var since: Date
    var measurements = 0
  }

  private let isJSON: Bool
  private let table: LiveTable
  private let events: EventLines
  private let notices: EventLines
  private var names: [BluetoothAddress: String] = [:]
  private var lines: [BluetoothAddress: Line] = [:]
  private var storeFailure: String?

  /// Shows what a gateway says until its run is over.
  /// - Throws: ``ClosedPipe`` if the reader is gone; ``Failure`` if what was written last is not read.
  static func show(_ events: AsyncStream<GatewayEvent>, isJSON: Bool) async throws {
    var display = RunDisplay(isJSON: isJSON)
    for await event in events { try display.show(event) }
  }

  private init(isJSON: Bool) {
    self.isJSON = isJSON
    table = LiveTable(isVisible: !isJSON && StandardOutput.isTerminal)
    events = EventLines(to: STDOUT_FILENO) { count in
      (isJSON ? try? JSONLine.text(RunEvent.Dropped(count: count)) : nil)
        ?? "\(count) lines are missing here: nobody read them"
    }
    notices = EventLines(to: STDERR_FILENO) { "\($0) notices are missing here: nobody read them" }
  }

  private mutating func show(_ event: GatewayEvent) throws {
    switch event {
    case .enrolled(let monitors): setNames(monitors)
    case .state(let status): show(status)
    case .committed(let status): show(status)
    case .ended(let tally): try end(tally)
    }
  }

  private mutating func setNames(_ monitors: [EnrolledMonitor]) {
    names = Dictionary(monitors.map { ($0.address, $0.name ?? "") }, uniquingKeysWith: { first, _ in first })
    lines = lines.filter { names[$0.key] != nil }
    if monitors.isEmpty {
      notices.write(
        "No monitor is enrolled yet: hrgate scan shows which there are, hrgate pair ADDRESS enrols one.")
    }
  }

  /// A monitor's state has changed; nothing is shown of one that was forgotten.
  private mutating func show(_ status: FollowStatus) {
    guard let name = names[status.monitor] else { return }
    let now = Date()
    let measurements = lines[status.monitor]?.measurements ?? 0
    lines[status.monitor] = Line(status: status, since: now, measurements: measurements)
    guard !redraw() else { return }
    let event = RunEvent.State(status, name: name, at: now)
    write(event) {
      [event.time, event.monitor, name.plain, event.state, event.detail?.plain, event.advice]
    }
  }

  /// The gateway has tried to commit.
  private mutating func show(_ report: CommitReport) {
    for monitor in report.tally.monitors {
      guard case .address(let address) = monitor.peripheral else { continue }
      lines[address]?.measurements = monitor.measurements
    }
    let failure = report.failure?.localizedDescription
    let hasChanged = storeFailure != failure
    storeFailure = failure
    guard !redraw(), hasChanged else { return }
    let event = RunEvent.Store(time: Timestamp.text(Date()), heldBack: report.heldBack, failure: failure)
    write(event) {
      [
        event.time,
        failure.map { "the store cannot be written to: \($0)" } ?? "the store can be written to again",
        "\(event.heldBack) samples wait",
      ]
    }
  }

  private func end(_ tally: IngestionTally) throws {
    _ = redraw()
    try table.end()
    let event = RunEvent.End(tally, at: Date())
    let rejected = tally.rejected.values.reduce(0, +)
    events.write(
      try isJSON
        ? JSONLine.text(event)
        : "\(tally.measurements) measurements: \(tally.storedMeasurements) stored, \(tally.duplicates) duplicates, \(rejected) rejected"
    )
    try events.finish()
  }

  // MARK: - Steps

  /// - Returns: Whether there is a terminal, which shows everything in place.
  private func redraw() -> Bool {
    guard table.isVisible else { return false }
    table.show(rows)
    return true
  }

  private func write(_ event: some Encodable, _ fields: () -> [String?]) {
    let line =
      try? isJSON
      ? JSONLine.text(event) : fields().compactMap(\.self).filter { !$0.isEmpty }.joined(separator: "  ")
    // A reader that is gone, or does not read, does not end the gateway: its work is the store's.
    if let line { events.write(line) }
  }

  private var rows: [String] {
    let rows = lines.values.sorted { $0.status.monitor.bits < $1.status.monitor.bits }.map { line in
      [
        (names[line.status.monitor] ?? "").plain, line.status.monitor.description,
        line.status.state.rawValue,
        "since \(Timestamp.text(line.since).dropFirst(11).prefix(8)) UTC",
        "\(line.measurements) measurements",
        line.status.state.advice ?? line.status.detail?.plain ?? "",
      ]
    }
    return TextTable.lines(rows)
      + (storeFailure.map { ["The store cannot be written to: \($0)"] } ?? [])
  }
}
