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
      served: replay.served > 0 ? replay.served : nil,
      fromEarlierLogs: replay.fromEarlierLogs > 0 ? replay.fromEarlierLogs : nil,
      monitors: ingestion.monitors.map(ReplayLine.Monitor.init),
      unresolved: replay.unresolved.map { ReplayLine.Unresolved($0, of: replay) }.sorted {
        $0.order < $1.order
      },
      inferred: replay.inferred.map(ReplayLine.Inferred.init),
      firstTime: replay.firstTime.map { Timestamp.text(microsecondsSince1970: $0.microsecondsSince1970) },
      lastTime: replay.lastTime.map { Timestamp.text(microsecondsSince1970: $0.microsecondsSince1970) },
      damage: replay.damage.map { ReplayLine.Damage(offset: $0.offset, reason: "\($0.code)") },
      dryRun: isDryRun ? true : nil, stopped: replay.wasStopped ? true : nil)
  }

  /// A paragraph for a person.
  var text: String {
    let record = record
    var lines = ["\(log): \(record.format ?? "unreadable"), \(replay.records) records"]
    if let first = record.firstTime, let last = record.lastTime { lines.append("  from \(first) to \(last)") }
    let verb = isDryRun ? "would be stored" : "stored"
    lines.append(
      "  \(record.measurements) measurements: \(ingestion.storedMeasurements) \(verb), "
        + "\(record.duplicates) duplicates, \(record.rejected.values.reduce(0, +)) rejected")
    for (type, count) in record.stored.sorted(by: <) { lines.append("  \(count) × \(type) \(verb)") }
    for (reason, count) in record.rejected.sorted(by: <) { lines.append("  rejected: \(count) × \(reason)") }
    for (kind, count) in record.anomalies.sorted(by: <) { lines.append("  anomaly: \(count) × \(kind)") }
    if replay.served > 0 {
      lines.append(
        "  recorded by the peripheral: \(replay.served) measurements are what its own server sent to its clients"
      )
    }
    if replay.fromEarlierLogs > 0 {
      lines.append(
        "  \(replay.fromEarlierLogs) measurements are of the log before, which did not name their handle")
    }
    for monitor in record.monitors {
      lines.append(
        "  monitor \(monitor.name.plain) (\(monitor.address)): \(monitor.measurements) measurements")
    }
    return lines.joined(separator: "\n")
  }

  /// What a person should know that is no datum.
  var notices: [String] {
    var notices: [String] = []
    for inferred in record.inferred {
      notices.append(
        "\(log): handle \(inferred.handle) of \(inferred.peer) is taken for Heart Rate Measurement (\(inferred.by))"
      )
      if let implausible = inferred.implausible {
        notices.append(
          "\(log): \(implausible) values of handle \(inferred.handle) are nothing that a heart-rate monitor sends; is it "
            + "the right one?")
      }
    }
    if replay.format == .monitorStream, replay.records > 0 {
      notices.append("\(log): this format has no wall time; its samples are timed from 1970-01-01 on")
    }
    for unresolved in record.unresolved {
      guard unresolved.handle != "others" else {
        notices.append("\(log): other handles notified \(unresolved.notifications) times")
        continue
      }
      let text =
        "\(log): handle \(unresolved.handle) of \(unresolved.peer) notified \(unresolved.notifications) times and the "
        + "log does not name it"
      // A hint that would make false heart rates is none.
      if unresolved.implausible == 0, unresolved.plausible > 0 {
        notices.append(
          text + "; if it is the heart rate, add --measurement-handle \(unresolved.handle)")
      } else {
        notices.append(
          text + "; \(unresolved.plausible) of its values could be a heart rate, "
            + "\(unresolved.implausible) could not")
      }
    }
    if let damage = replay.damage { notices.append("\(log): \(damage)") }
    if replay.wasStopped { notices.append("\(log): stopped; what was read up to here is committed") }
    if let failure { notices.append("\(log): \(failure.localizedDescription)") }
    return notices
  }
}
