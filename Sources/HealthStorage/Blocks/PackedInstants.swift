/// Samples without a duration from one or more compressed segments of one hour, as arrays. No other sample is
/// between the first and the last of them, so that a query can process them together.
package struct PackedInstants: Sendable {
  /// The samples of one compressed segment, in the order of their start.
  package struct Part: Sendable {
    /// The start times in microseconds since 1970; at least one.
    package var starts: [Int64]
    package var values: [Double]
    /// A key of `SampledValueKeys.units`.
    package var unit: Int64
    /// A key of `SampledValueKeys.provenances`.
    package var provenance: Int64

    package init(starts: [Int64], values: [Double], unit: Int64, provenance: Int64) {
      self.starts = starts
      self.values = values
      self.unit = unit
      self.provenance = provenance
    }
  }

  /// Maximum number of compressed segments, which limits the memory. The current hour may have thousands of
  /// small segments.
  static let mostParts = 64

  /// The samples of each compressed segment, sorted by the first start. Their times may overlap.
  package let parts: [Part]
  /// The starts of the first and the last sample.
  package let starts: ClosedRange<Int64>

  /// - Parameters:
  ///   - parts: The samples of each compressed segment; `nil` for a segment that cannot be processed as
  ///     arrays.
  ///   - next: The earliest start of the samples in later segments; `nil` if there are no later segments.
  /// - Returns: `nil` if the samples cannot be processed together.
  init?(_ parts: [Part?], before next: Int64?) {
    let known = parts.compactMap(\.self)
    guard known.count == parts.count, let first = known.compactMap(\.starts.first).min(),
      let last = known.compactMap(\.starts.last).max(), next.map({ $0 > last }) ?? true,
      // If several samples have the latest start, the change log determines the last one, but change log
      // positions are not available here.
      known.count(where: { $0.starts.last == last }) == 1
    else { return nil }
    self.parts = known.sorted { ($0.starts.first ?? first) < ($1.starts.first ?? first) }
    starts = first...last
  }
}
