import HealthStorage

/// A time in which nothing arrived from a monitor. Times are microseconds since 1970.
package struct MonitorGapEntry: Hashable, Sendable {
  package var monitor: MonitorAddress
  /// With the monitor what tells a gap from others: one that is stored already is changed.
  package var start: Int64
  /// nil while it lasts.
  package var end: Int64?
  package var cause: String
  /// Measurements that are known to be lost; nil where that is not known.
  package var lost: Int?

  package init(monitor: MonitorAddress, start: Int64, end: Int64?, cause: String, lost: Int?) {
    self.monitor = monitor
    self.start = start
    self.end = end
    self.cause = cause
    self.lost = lost
  }
}

/// Which gaps.
package struct MonitorGapSelection: Hashable, Sendable {
  /// nil: of every monitor.
  package var monitor: MonitorAddress?
  /// Those that last beyond this time.
  package var from: Int64?
  /// Those that begin before this time.
  package var to: Int64?
  /// Only those that last, or only those that have ended.
  package var isOpen: Bool?
  /// The latest ones, at most so many.
  package var limit: Int?

  package init() {}
}

/// What is stored with samples, in the same transaction.
package struct MonitorChanges: Sendable {
  package var gaps: [MonitorGapEntry]
  package var statuses: [MonitorStatus]

  package init(gaps: [MonitorGapEntry] = [], statuses: [MonitorStatus] = []) {
    self.gaps = gaps
    self.statuses = statuses
  }
}

extension MonitorGapEntry {
  init(_ record: MonitorGapRecord) {
    self.init(
      monitor: MonitorAddress(record.monitor), start: record.start, end: record.end, cause: record.cause,
      lost: record.lost)
  }

  var record: MonitorGapRecord {
    MonitorGapRecord(monitor: monitor.record, start: start, end: end, cause: cause, lost: lost)
  }
}

extension MonitorGapSelection {
  var filter: MonitorGapFilter {
    var filter = MonitorGapFilter()
    filter.monitor = monitor?.record
    filter.from = from
    filter.to = to
    filter.isOpen = isOpen
    filter.limit = limit
    return filter
  }
}

extension MonitorChanges {
  var record: MonitorChangesRecord {
    MonitorChangesRecord(gaps: gaps.map(\.record), statuses: statuses.map(\.record))
  }
}
