import Bluetooth
import Foundation
import HealthDataSync
import Ingestion
import PacketLog
import PacketReplay

/// The result of replaying a log, as JSON and as text.
struct ReplayOutcome {
  var log: String
  /// The member that was read, if the log is an archive with several logs.
  var member: String?
  var replay: ReplayTally
  var division: DividedPipeline.Outcome
  var whose: ReplayStores.Whose
  var isDryRun: Bool

  /// Maximum number of lines for monitors, and for handles. A log from a busy place, or a malicious one, may
  /// have thousands; the JSON record has all.
  static let maximumLines = 20

  private var ingestion: IngestionTally { division.tally }
  /// The error that ended the replay early.
  var failure: (any Error)? { division.failure }

  /// The log's name in messages.
  var name: String { member.map { "\(log) (\($0))" } ?? log }

  /// Whether the log could not be read to its end, is unreadable, or its measurements could not be stored.
  var hasFailed: Bool { failure != nil || replay.damage != nil || isUnreadable }

  var record: ReplayLine {
    ReplayLine(
      log: log, member: member, format: replay.format?.rawValue ?? "unknown", records: replay.records,
      notifications: replay.notifications,
      measurements: ingestion.measurements, stored: ingestion.stored, duplicates: ingestion.duplicates,
      rejected: Dictionary(uniqueKeysWithValues: ingestion.rejected.map { ($0.key.rawValue, $0.value) }),
      anomalies: replay.anomalies.merging(ingestion.anomalies, uniquingKeysWith: +),
      served: replay.served > 0 ? replay.served : nil,
      fromEarlierLogs: replay.fromEarlierLogs > 0 ? replay.fromEarlierLogs : nil,
      truncatedRecords: replay.truncatedRecords > 0 ? replay.truncatedRecords : nil,
      monitors: ingestion.monitors.map { monitor in
        ReplayLine.Monitor(
          monitor, person: whose.person(of: monitor.peripheral, place: division.places[monitor.peripheral]),
          leftOut: division.leftOut[monitor.peripheral, default: [:]].values.reduce(0, +))
      },
      unread: unreadPeers.map { ReplayLine.Unread(peer: $0.description, counts: $1.byName) },
      unresolved: replay.unresolved.map { ReplayLine.Unresolved($0, of: replay) }.sorted {
        $0.order < $1.order
      },
      inferred: replay.inferred.map(ReplayLine.Inferred.init),
      firstTime: replay.firstTime?.description,
      lastTime: replay.lastTime?.description,
      recordsWithoutWallTime: replay.recordsWithoutWallTime > 0 ? replay.recordsWithoutWallTime : nil,
      recordsWithImplausibleTime: implausibleTimes > 0 ? implausibleTimes : nil,
      clockStepsBack: replay.clockStepsBack.count > 0 ? replay.clockStepsBack.count : nil,
      clockStepsAhead: replay.clockStepsAhead.count > 0 ? replay.clockStepsAhead.count : nil,
      sectionsOutOfOrder: replay.sectionsOutOfOrder > 0 ? replay.sectionsOutOfOrder : nil,
      damage: replay.damage.map(ReplayLine.Damage.init),
      dryRun: isDryRun ? true : nil, stopped: replay.wasStopped ? true : nil)
  }

  /// The result as text.
  var text: String {
    let record = record
    var lines = [
      "\(name.plain): \(replay.format?.rawValue ?? "unreadable"), \(Counted.text(replay.records, "record"))"
    ]
    if let first = record.firstTime, let last = record.lastTime { lines.append("  from \(first) to \(last)") }
    let verb = isDryRun ? "would be stored" : "stored"
    lines.append(
      "  \(Counted.text(record.measurements, "measurement")): \(ingestion.storedMeasurements) \(verb), "
        + "\(Counted.text(record.duplicates, "duplicate")), \(record.rejected.values.reduce(0, +)) rejected")
    for (type, count) in record.stored.sorted(by: <) { lines.append("  \(count) × \(type) \(verb)") }
    for (reason, count) in record.rejected.sorted(by: <) { lines.append("  rejected: \(count) × \(reason)") }
    for (kind, count) in record.anomalies.sorted(by: <) { lines.append("  anomaly: \(count) × \(kind)") }
    for unread in record.unread.prefix(Self.maximumLines) {
      for (kind, count) in unread.counts.sorted(by: <) {
        lines.append("  not decoded from \(unread.peer): \(count) × \(kind)")
      }
    }
    if replay.served > 0 {
      lines.append(
        "  recorded on the peripheral: \(Counted.text(replay.served, "measurement")), sent by its own server"
      )
    }
    if replay.fromEarlierLogs > 0 {
      lines.append(
        "  \(Counted.text(replay.fromEarlierLogs, "measurement")) from the previous log, which did not name the handle"
      )
    }
    for monitor in record.monitors.prefix(Self.maximumLines) {
      lines.append(
        "  monitor \(monitor.name.plain) (\(monitor.address))\(monitor.person.map { ", \($0.plain)'s" } ?? ""): "
          + Counted.text(monitor.measurements, "measurement")
          + (monitor.leftOut.map { ", \($0) left out" } ?? ""))
    }
    if record.monitors.count > Self.maximumLines {
      let listed = record.monitors.prefix(Self.maximumLines).reduce(0) { $0 + $1.measurements }
      lines.append(
        "  other monitors: \(Counted.text(record.measurements - listed, "measurement")); see --json")
    }
    return lines.joined(separator: "\n")
  }

  /// Warnings and errors to print to standard error.
  var notices: [String] {
    var notices: [String] = []
    for (inferred, line) in zip(replay.inferred, record.inferred).prefix(Self.maximumLines) {
      notices.append(
        "\(name): handle \(line.handle) of \(line.peer) is used as Heart Rate Measurement, "
          + inferred.reason.text)
      if let implausible = line.implausible {
        notices.append(
          "\(name): \(Counted.text(implausible, "value")) of handle \(line.handle) cannot be heart rates; "
            + "check the handle")
      }
    }
    if record.inferred.count > Self.maximumLines {
      notices.append("\(name): more handles are used like this; --json lists more of them")
    }
    notices += leftOut
    notices += ingestion.monitors.flatMap { $0.advice() }.prefix(Self.maximumLines).map {
      "\(log): \($0.text)"
    }
    notices += packetNotices
    if let undated { notices.append("\(name): \(undated)") }
    notices += timeNotices
    for unresolved in unresolvedByUse {
      guard unresolved.handle != "others" else {
        notices.append("\(name): other handles notified \(Counted.text(unresolved.notifications, "time"))")
        continue
      }
      let text =
        "\(name): handle \(unresolved.handle) of \(unresolved.peer) notified "
        + "\(Counted.text(unresolved.notifications, "time")), but the log does not name it"
      // Do not suggest a handle whose values cannot all be heart rates.
      if unresolved.implausible == 0, unresolved.plausible > 0 {
        notices.append(
          text + "; if it is Heart Rate Measurement, add --measurement-handle \(unresolved.handle)")
      } else {
        notices.append(
          text + "; \(unresolved.plausible) of its values could be heart rates, "
            + "\(unresolved.implausible) could not")
      }
    }
    if let damage = replay.damage {
      notices.append("\(name): \(damage)\(readBefore)")
    }
    if replay.wasStopped { notices.append("\(name): stopped; the measurements read so far are stored") }
    if let failure { notices.append("\(name): \(failure.localizedDescription)") }
    return notices
  }

  /// Notices about measurements of other people's monitors, with the command that stores them. Monitors
  /// excluded by --monitor need no notice.
  private var leftOut: [String] {
    let leftOut = division.leftOut.mapValues { $0.filter { $0.key != .otherMonitor } }
    let monitors = ingestion.monitors.filter { leftOut[$0.peripheral]?.isEmpty == false }
    var notices = monitors.prefix(Self.maximumLines).flatMap { monitor in
      leftOut[monitor.peripheral, default: [:]].sorted { $0.key.rawValue < $1.key.rawValue }.map {
        text(leftOut: $1, of: monitor, $0)
      }
    }
    if monitors.count > Self.maximumLines {
      notices.append("\(name): measurements of more monitors are left out; --json lists them")
    }
    return notices
  }

  private func text(leftOut count: Int, of monitor: MonitorTally, _ reason: Rejection) -> String {
    let word = whose.word(for: monitor.peripheral)
    let holder = word.map { $0 == "owner" ? "the owner" : $0.plain }
    let text =
      "\(name): \(Counted.text(count, "measurement")) of \(monitor.name.plain) (\(monitor.peripheral)) "
      + (count == 1 ? "is" : "are") + " left out, because "
    if reason == .otherPerson, let word, let holder {
      return text
        + "the monitor belongs to \(holder); store them with: \(command(for: word.shellWord, monitor.peripheral))"
    }
    let others = "store them for a person with: \(command(for: "NAME", monitor.peripheral))"
    guard case .address(_) = monitor.peripheral else {
      return text + "the log does not say which monitor sent them; \(others)"
    }
    return text
      + (holder.map { "the monitor belonged to another person before it belonged to \($0)" }
        ?? "the monitor belonged to several people")
      + "; \(others)"
  }

  /// Returns the command that stores one monitor's measurements for a person. Without --monitor it would also
  /// store monitors that are not enrolled, which may belong to someone else.
  private func command(for person: String, _ monitor: PeripheralIdentity) -> String {
    "hrgate replay \(log.shellWord) --person \(person) --monitor \(monitor)"
  }

  /// Describes how much was read before the damage.
  private var readBefore: String {
    switch replay.records {
    case 0: ""
    case 1: "; the record before it was read"
    default: "; the \(replay.records) records before it were read"
    }
  }

  /// The handles with the most notifications, followed by a sum for the rest.
  private var unresolvedByUse: [ReplayLine.Unresolved] {
    let handles = record.unresolved.filter { $0.handle != "others" }
      .sorted { ($1.notifications, $0.order) < ($0.notifications, $1.order) }
    var others = handles.dropFirst(Self.maximumLines).reduce(0) { $0 + $1.notifications }
    others += replay.unresolved[.others] ?? 0
    let rest = others > 0 ? [ReplayLine.Unresolved((.others, others), of: replay)] : []
    return handles.prefix(Self.maximumLines) + rest
  }

  /// A notice about records without a time.
  private var undated: String? {
    let count = replay.recordsWithoutWallTime
    guard count > 0 else { return nil }
    if count == replay.records {
      return "this log has no wall time; its samples start at 1970-01-01"
    }
    return
      "\(count) of \(replay.records) records have no time; they get the time of the previous record, or "
      + "1970-01-01 if there is none"
  }
}

extension InferredHandle.Reason {
  /// The reason as text.
  fileprivate var text: String {
    switch self {
    case .namedByCaller: "because you named it"
    case .clientConfiguration: "because a client subscribed to it and its values are valid measurements"
    }
  }
}
