/// One beat of a series.
package struct Heartbeat: Hashable, Sendable {
  /// Seconds since the start of the series.
  package var offset: Double
  /// Whether beats may be missing just before this one.
  package var precededByGap: Bool

  package init(offset: Double, precededByGap: Bool) {
    self.offset = offset
    self.precededByGap = precededByGap
  }
}
