import Bluetooth
import Foundation
import Ingestion
import PacketLog
import PacketReplay

/// What a log's replay came to, for a program and for a person.
struct ReplayOutcome {
  var log: String
  var replay: ReplayTally
  var ingestion: IngestionTally
  /// What ended the replay before the log did.
  var failure: (any Error)?
  var isDryRun: Bool

  /// Nothing could be read, or what was read could not be stored.
  var hasFailed: Bool { failure != nil || (replay.damage != nil && replay.records == 0) }

  var record: ReplayLine {
    ReplayLine(
      log: log, format: replay.format?.rawValue, records: replay.records, notifications: replay.notifications,
      measurements: ingestion.measurements, stored: ingestion.stored, duplicates: ingestion.duplicates,
      rejected: Dictionary(uniqueKeysWithValues: ingestion.rejected.map { ($0.key.rawValue, $0.value) }),
      anomalies: replay.anomalies.merging(ingestion.anomalies, uniquingKeysWith: +),
      monitors: ingestion.monitors.map(ReplayLine.Monitor.init),
      unresolved: replay.unresolved.map(ReplayLine.Unresolved.init).sorted { $0.order < $1.order },
      inferred: replay.inferred.map(ReplayLine.Inferred.init),
      firstTime: replay.firstTime.map { Timestamp.text(microsecondsSince1970: $0.microsecondsSince1970) },
      lastTime: replay.lastTime.map { Timestamp.text(microsecondsSince1970: $0.microsecondsSince1970) },
      damage: replay.damage.map { ReplayLine.Damage(offset: $0.offset, reason: "\($0.code)") },
      dryRun: isDryRun ? true : nil, stopped: replay.wasStopped ? true : nil)
  }

  /// A paragraph for a person.
  var text: String {
    let record = record
    var lines = ["\(log.plain): \(record.format ?? "unreadable"), \(Counted.text(replay.records, "record"))"]
    if let first = record.firstTime, let last = record.lastTime { lines.append("  from \(first) to \(last)") }
    let verb = isDryRun ? "would be stored" : "stored"
    lines.append(
      "  \(Counted.text(record.measurements, "measurement")): \(ingestion.storedMeasurements) \(verb), "
        + "\(Counted.text(record.duplicates, "duplicate")), \(record.rejected.values.reduce(0, +)) rejected")
    for (type, count) in record.stored.sorted(by: <) { lines.append("  \(count) × \(type) \(verb)") }
    for (reason, count) in record.rejected.sorted(by: <) { lines.append("  rejected: \(count) × \(reason)") }
    for (kind, count) in record.anomalies.sorted(by: <) { lines.append("  anomaly: \(count) × \(kind)") }
    for monitor in record.monitors {
      lines.append(
        "  monitor \(monitor.name.plain) (\(monitor.address)): "
          + Counted.text(monitor.measurements, "measurement"))
    }
    return lines.joined(separator: "\n")
  }

  /// What a person should know that is no datum.
  var notices: [String] {
    var notices: [String] = []
    for (inferred, line) in zip(replay.inferred, record.inferred) {
      notices.append(
        "\(log): handle \(line.handle) of \(line.peer) is taken for Heart Rate Measurement, "
          + inferred.reason.text)
    }
    if replay.format == .monitorStream, replay.records > 0 {
      notices.append("\(log): this format has no wall time; its samples are timed from 1970-01-01 on")
    }
    for unresolved in record.unresolved {
      guard unresolved.handle != "others" else {
        notices.append("\(log): other handles notified \(Counted.text(unresolved.notifications, "time"))")
        continue
      }
      notices.append(
        "\(log): handle \(unresolved.handle) of \(unresolved.peer) notified "
          + "\(Counted.text(unresolved.notifications, "time")) and the log does not name it; if it is the "
          + "heart rate, add --measurement-handle \(unresolved.handle)"
      )
    }
    if let damage = replay.damage { notices.append("\(log): \(damage)") }
    if replay.wasStopped { notices.append("\(log): stopped; what was read up to here is committed") }
    if let failure { notices.append("\(log): \(failure.localizedDescription)") }
    return notices
  }
}

extension InferredHandle.Reason {
  /// For a person.
  fileprivate var text: String {
    switch self {
    case .namedByCaller: "because you named it"
    case .clientConfiguration: "because a client subscribed to it and its values are sound measurements"
    }
  }
}
