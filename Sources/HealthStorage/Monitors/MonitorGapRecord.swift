/// A time in which nothing arrived from a monitor. Times are microseconds since 1970.
package struct MonitorGapRecord: Hashable, Sendable {
  package var monitor: AddressRecord
  /// With the monitor what tells a gap from others.
  package var start: Int64
  /// nil while it lasts.
  package var end: Int64?
  package var cause: String
  /// Measurements that are known to be lost; nil where that is not known.
  package var lost: Int?

  package init(monitor: AddressRecord, start: Int64, end: Int64?, cause: String, lost: Int?) {
    self.monitor = monitor
    self.start = start
    self.end = end
    self.cause = cause
    self.lost = lost
  }
}

/// What a batch of samples is stored with: the gaps beside them, what was learnt of their monitors, and what
/// became known of the clock by the end of the batch.
package struct MonitorChangesRecord: Sendable {
  package var gaps: [MonitorGapRecord]
  package var statuses: [MonitorStatusRecord]
  package var clock: ClockChangesRecord?
  /// The times of the batch are a recording's own: no setting of this machine's clock had a part in them.
  package var isRecorded = false

  package init(
    gaps: [MonitorGapRecord] = [], statuses: [MonitorStatusRecord] = [], clock: ClockChangesRecord? = nil
  ) {
    self.gaps = gaps
    self.statuses = statuses
    self.clock = clock
  }

  var isEmpty: Bool { gaps.isEmpty && statuses.isEmpty && clock == nil }
}
