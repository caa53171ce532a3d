/// The form in which quantities that a monitor measured are stored. The samples are the same in each form.
package enum MeasuredForm: Sendable {
  /// A row for each sample.
  case rows
  /// A segment for each kind and hour. Small segments are merged later by compaction.
  case segments
}

/// The result of storing quantities of one kind. The sum is their number.
package struct MeasuredOutcome: Hashable, Sendable {
  package var stored = 0
  /// The number of quantities that were stored already.
  package var duplicates = 0
}
