/// Instantaneous quantities that can be taken at once: all between the first and the last one, within an
/// hour, as columns.
package struct PackedInstants: Sendable {
  /// The samples of one segment, in order of start.
  package struct Part: Sendable {
    /// Microseconds since 1970. At least one.
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

  /// Bounds the memory: the current hour can have thousands of small segments.
  static let mostParts = 64

  /// At least one, in order of their first starts. They may overlap each other.
  package let parts: [Part]
  /// The start of the first sample, and of the last.
  package let starts: ClosedRange<Int64>

  /// - Parameters:
  ///   - parts: nil for a segment that cannot be taken at once.
  ///   - next: The start of the next sample of another segment, or nil if there is none.
  /// - Returns: nil unless the samples can be taken at once.
  init?(_ parts: [Part?], before next: Int64?) {
    let known = parts.compactMap(\.self)
    guard known.count == parts.count, let first = known.compactMap(\.starts.first).min(),
      let last = known.compactMap(\.starts.last).max(), next.map({ $0 > last }) ?? true,
      // The change log decides which of several samples with the same start is the latest.
      known.count(where: { $0.starts.last == last }) == 1
    else { return nil }
    self.parts = known.sorted { ($0.starts.first ?? first) < ($1.starts.first ?? first) }
    starts = first...last
  }
}
