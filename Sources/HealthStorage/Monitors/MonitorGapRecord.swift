/// A period without measurements from a monitor. Times are microseconds since 1970.
package struct MonitorGapRecord: Hashable, Sendable {
  package var monitor: AddressRecord
  /// The start, which is unique among the monitor's gaps.
  package var start: Int64
  /// The end; `nil` while the gap lasts.
  package var end: Int64?
  package var cause: String
  /// The number of measurements that arrived but could not be stored; `nil` if unknown.
  package var lost: Int?

  package init(monitor: AddressRecord, start: Int64, end: Int64?, cause: String, lost: Int?) {
    self.monitor = monitor
    self.start = start
    self.end = end
    self.cause = cause
    self.lost = lost
  }
}

/// Changes that are saved in the same transaction as samples: gaps, monitor statuses and changes of the wall
/// clock.
package struct MonitorChangesRecord: Sendable {
  package var gaps: [MonitorGapRecord]
  package var statuses: [MonitorStatusRecord]
  package var clock: ClockChangesRecord?
  /// Whether the times are from a recording, and not from this machine's clock.
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
