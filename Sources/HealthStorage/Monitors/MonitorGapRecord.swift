/// A period in which nothing arrived from a monitor. Times are microseconds since 1970.
package struct MonitorGapRecord: Hashable, Sendable {
  package var monitor: AddressRecord
  /// Together with the monitor, identifies the gap.
  package var start: Int64
  /// nil while the gap lasts.
  package var end: Int64?
  package var cause: String
  /// The number of lost measurements; nil if unknown.
  package var lost: Int?

  package init(monitor: AddressRecord, start: Int64, end: Int64?, cause: String, lost: Int?) {
    self.monitor = monitor
    self.start = start
    self.end = end
    self.cause = cause
    self.lost = lost
  }
}

/// Changes that are stored together with a batch of samples: gaps, the monitors' statuses, and corrections of
/// the clock.
package struct MonitorChangesRecord: Sendable {
  package var gaps: [MonitorGapRecord]
  package var statuses: [MonitorStatusRecord]
  package var clock: ClockChangesRecord?
  /// Whether the times come from a recording, and do not depend on this machine's clock.
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
