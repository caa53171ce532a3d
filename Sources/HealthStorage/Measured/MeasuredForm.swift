/// How to store quantities that a monitor has measured. Queries return the same samples in both forms.
package enum MeasuredForm: Sendable {
  /// One row of `sample` for each quantity.
  case rows
  /// One compressed segment for each hour. Small segments are merged later.
  case segments
}

/// The result of saving quantities. The two counts add up to the number of quantities.
package struct MeasuredOutcome: Hashable, Sendable {
  package var stored = 0
  /// The number of quantities that were already stored.
  package var duplicates = 0
}
