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

/// Changes that are stored together with a batch of samples: gaps, the monitors' statuses, corrections of the
/// clock, and how far the inbox was read.
package struct MonitorChangesRecord: Sendable {
  package var gaps: [MonitorGapRecord]
  package var statuses: [MonitorStatusRecord]
  package var clock: ClockChangesRecord?
  /// The last entry of the inbox that is in the store after this batch.
  package var inbox: SealedInbox.Progress?
  /// Whether the times come from a recording, and do not depend on this machine's clock.
  package var isRecorded = false

  package init(
    gaps: [MonitorGapRecord] = [], statuses: [MonitorStatusRecord] = [], clock: ClockChangesRecord? = nil
  ) {
    self.gaps = gaps
    self.statuses = statuses
    self.clock = clock
  }

  var isEmpty: Bool { gaps.isEmpty && statuses.isEmpty && clock == nil && inbox == nil }
}
