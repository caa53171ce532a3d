/// How quantities that a monitor measured are stored. What is stored is the same.
package enum MeasuredForm: Sendable {
  /// A row for each.
  case rows
  /// A row for all of a commit, of which the condenser makes blocks later: for what is measured now.
  case batch
  /// Blocks of an hour, where there are enough of an hour for one; else rows. For a recording: none of its
  /// hours is expected to go on.
  case blocks
}

/// What became of quantities of one kind that were to be stored. The two add up to them.
package struct MeasuredOutcome: Hashable, Sendable {
  package var stored = 0
  /// They were stored already.
  package var duplicates = 0
}
