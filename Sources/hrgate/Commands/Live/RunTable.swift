import BlueZ
import Bluetooth
import Foundation
import Gateway
import Ingestion

/// The table of a running gateway on a terminal, as lines. It depends only on the gateway's state, the
/// terminal's size and the time.
///
/// No field is truncated in a misleading way. A column has room for its widest field or is hidden. A long
/// name keeps its beginning and its end, which often is a serial number. Notes on a monitor are wrapped below
/// its row.
struct RunTable {
  struct Options {
    /// Whether to show measurements: heart rate, skin contact, last RR interval.
    var showsValues = true
    var zone = TimeZone.current
  }

  /// Age in seconds after which a heart rate is hidden. Monitors usually send one each second.
  static let freshness: Int64 = 10

  let state: GatewayState
  var others = OtherUpdates()
  let now: SystemClocks
  let options: Options

  func lines(_ size: TerminalSize) -> [String] {
    var lines = [heading(size.columns)]
    if let waiting = state.waiting, !state.hasEnded {
      lines += WrappedText.lines(
        "\(waiting.description.prefix(1).uppercased())\(waiting.description.dropFirst()).",
        columns: size.columns)
      if state.isOnlyWaiting { return lines }
    }
    if let failure = state.storeFailure {
      let held = RunEvent.Store.held(state.heldBack, lost: state.lost)
      lines += WrappedText.lines(
        "The store cannot be written to: \(failure.plain) (\(held))", columns: size.columns)
    }
    if let failure = state.busFailure {
      lines += WrappedText.lines("The bus does not answer: \(failure)", columns: size.columns)
    }
    if let failure = state.derivationFailure {
      lines += WrappedText.lines(
        "Heart-rate variability and resting heart rate cannot be computed: \(failure.plain)",
        columns: size.columns)
    }
    if let failure = others.metricsFailure {
      lines += WrappedText.lines("Metrics: \(failure.plain)", columns: size.columns)
    }
    if let failure = state.condensingFailure {
      lines += WrappedText.lines(
        "Samples older than an hour cannot be compressed to save space: \(failure.plain)",
        columns: size.columns)
    }
    if let damage = state.damage {
      lines += WrappedText.lines("The store is damaged: \(damage.plain)", columns: size.columns)
    }
    if let refusal = state.clockRefusal {
      lines += WrappedText.lines(RunEvent.ClockRefused.sentence(refusal.plain), columns: size.columns)
    }
    if let error = state.clockError { lines += clockNote(on: error, size.columns) }
    guard !state.monitors.isEmpty else { return lines + invitation(size.columns) + foot(size.columns) }
    let table = Self.table(rows, columns: size.columns)
    lines.append(table[0])
    for (monitor, row) in zip(state.monitors, table.dropFirst()) {
      lines.append(row)
      for note in notes(on: monitor) { lines += WrappedText.lines(note, columns: size.columns, indent: 2) }
    }
    return lines + foot(size.columns)
  }

  // MARK: - Below the table

  /// The failing sync destinations.
  private func foot(_ columns: Int) -> [String] {
    guard !state.hasEnded else { return [] }
    return others.troubles.flatMap { trouble in
      let reason = trouble.error.map { ": \($0.plain)" } ?? ""
      let place = trouble.destination == SyncUpdate.anyDestination ? "any destination" : trouble.destination
      let whose = trouble.person.map { " for \($0.plain)" } ?? ""
      return WrappedText.lines("Nothing can be sent to \(place)\(whose)\(reason)", columns: columns)
    }
  }

  // MARK: - Above the table

  /// The parts of the heading that fit into the width.
  private func heading(_ columns: Int) -> String {
    let date = now.wall.date
    let time = LocalTime(zone: options.zone)
    let followed = state.monitors.count { isFollowed($0) }
    let count = Counted.text(state.monitors.count, "monitor")
    let parts = [
      "\(time.clock(date)) \(time.zoneName(at: date))",
      state.hasEnded ? "ended" : "\(followed) of \(count) connected",
      Counted.text(state.tally.measurements, "measurement"), "\(state.tally.storedMeasurements) stored",
    ]
    return parts.dropFirst().reduce(parts[0]) { line, part in
      let longer = line + "  " + part
      return longer.columns <= columns ? longer : line
    }
  }

  private func clockNote(on error: ClockError, _ columns: Int) -> [String] {
    let time = LocalTime(zone: options.zone)
    let (start, end) = (error.start, error.end)
    let text = ClockErrorLine(error).setting(
      from: time.moment(start.date, now: now.wall.date), to: time.moment(end.date, now: now.wall.date))
    return WrappedText.lines("\(text.prefix(1).uppercased())\(text.dropFirst()).", columns: columns)
  }

  private func invitation(_ columns: Int) -> [String] {
    WrappedText.lines(
      "No monitor is paired yet. Find yours with: hrgate scan. Then pair it with: hrgate pair ADDRESS",
      columns: columns)
  }

  // MARK: - The columns

  /// The columns in display order.
  private enum Column: Int, CaseIterable {
    case name, person, pulse, age, contact, battery, state, since, measured, interval, address

    var heading: String {
      switch self {
      case .name: "NAME"
      case .person: "PERSON"
      case .pulse: "PULSE"
      case .age: "AGE"
      case .contact: "CONTACT"
      case .battery: "BATTERY"
      case .state: "STATE"
      case .since: "SINCE"
      case .measured: "MEASURED"
      case .interval: "INTERVAL"
      case .address: "ADDRESS"
      }
    }

    var isNumber: Bool { [.pulse, .age, .battery, .measured, .interval].contains(self) }

    /// The columns that are hidden if the terminal is too narrow, in this order.
    static let dispensable: [Column] = [.address, .interval, .measured, .since, .contact, .battery, .age]
  }

  /// The header and one row for each monitor.
  private var rows: [[Column: String]] {
    var hidden: Set<Column> = options.showsValues ? [] : [.pulse, .contact, .interval]
    if !state.hasPeople { hidden.insert(.person) }
    let heading = Column.allCases.filter { !hidden.contains($0) }
    let names = names
    return [Dictionary(uniqueKeysWithValues: heading.map { ($0, $0.heading) })]
      + zip(state.monitors, names).map { monitor, name in
        fields(of: monitor, name).filter { !hidden.contains($0.key) }
      }
  }

  private static func table(_ rows: [[Column: String]], columns: Int) -> [String] {
    var shown = Column.allCases.filter { rows[0][$0] != nil }
    // A long name must not hide the other columns.
    let widestName = max(12, columns / 4)
    func texts(_ widestName: Int) -> [[String]] {
      rows.map { row in
        shown.map { column in
          let text = row[column] ?? ""
          return column == .name ? text.shortened(toColumns: widestName) : text
        }
      }
    }
    for column in Column.dispensable where TextTable.columns(texts(widestName)) > columns {
      shown.removeAll { $0 == column }
    }
    let fitted = texts(widestName)
    let missing = max(0, TextTable.columns(fitted) - columns)
    let name = fitted.map { $0[0].columns }.max() ?? 0
    let right = Set(shown.indices.filter { shown[$0].isNumber })
    return TextTable.lines(texts(max(4, name - missing)), right: right)
  }

  private func fields(of monitor: GatewayState.Monitor, _ name: String) -> [Column: String] {
    let latest = isFresh(monitor) ? monitor.latest?.measurement : nil
    let pulse = latest.flatMap { $0.hasContact == false || $0.heartRate == 0 ? nil : "\($0.heartRate) bpm" }
    let interval = (pulse == nil ? nil : latest)?.intervals.last.map { "\(Int(($0 * 1000).rounded())) ms" }
    return [
      .name: name,
      .person: monitor.person.map { $0.plain.shortened(toColumns: 16) } ?? "-",
      .pulse: pulse ?? "-",
      .age: age(of: monitor).map { Age.text(seconds: $0) } ?? "-",
      .contact: latest?.hasContact.map { $0 ? "yes" : "no" } ?? "-",
      .battery: battery(of: monitor) ?? "-",
      .state: state.hasEnded ? MonitorState.stopped.rawValue : monitor.status?.state.rawValue ?? "-",
      .since: since(monitor) ?? "-",
      .measured: "\(monitor.measurements)",
      .interval: interval ?? "-",
      .address: monitor.enrolled.address.description,
    ]
  }

  /// The display name of each monitor. Monitors with the same name are prefixed with the end of their
  /// addresses.
  private var names: [String] {
    let names = state.monitors.map { ($0.enrolled.name ?? "").plain }
    return zip(state.monitors, names).map { monitor, name in
      let address = monitor.enrolled.address.description
      if name.isEmpty { return address }
      return names.count { $0 == name } > 1 ? "\(address.suffix(5)) \(name)" : name
    }
  }

  // MARK: - What is live

  /// Whether the monitor's last measurement is recent enough to show.
  private func isFresh(_ monitor: GatewayState.Monitor) -> Bool {
    guard isFollowed(monitor), let latest = monitor.latest else { return false }
    return Age.seconds(of: latest.measurement.receiptTime, emitted: latest.emitted, now: now)
      <= Self.freshness
  }

  private func isFollowed(_ monitor: GatewayState.Monitor) -> Bool {
    monitor.status?.state == .following && !state.hasEnded
  }

  /// Age in seconds of the last measurement of this run or an earlier one.
  private func age(of monitor: GatewayState.Monitor) -> Int64? {
    if let latest = monitor.latest {
      return Age.seconds(of: latest.measurement.receiptTime, emitted: latest.emitted, now: now)
    }
    return monitor.enrolled.lastMeasurement.map { now.wall.microseconds(since: $0) / 1_000_000 }
  }

  /// The battery level; in parentheses if it was reported in an earlier run or before the monitor
  /// disconnected.
  private func battery(of monitor: GatewayState.Monitor) -> String? {
    if let level = monitor.battery, isFollowed(monitor) { return "\(level) %" }
    return (monitor.battery ?? monitor.enrolled.battery).map { "(\($0) %)" }
  }

  private func since(_ monitor: GatewayState.Monitor) -> String? {
    monitor.since.map { LocalTime(zone: options.zone).moment($0.date, now: now.wall.date) }
  }

  // MARK: - Below a monitor

  /// The message of bluetoothd, and what the user can do.
  private func notes(on monitor: GatewayState.Monitor) -> [String] {
    guard let status = monitor.status, !state.hasEnded else { return [] }
    return [status.detail?.plain].compactMap(\.self) + (monitor.advice?.plainLines ?? [])
  }
}
