extension RRSegment {
  /// One beat of a heartbeat series, as a health store has it.
  public struct Beat: Hashable, Sendable {
    /// Seconds since the series began.
    public let offset: Double
    /// Whether beats may be missing just before it.
    public let precededByGap: Bool

    public init(offset: Double, precededByGap: Bool = false) {
      self.offset = offset
      self.precededByGap = precededByGap
    }
  }

  /// The segments of a heartbeat series.
  ///
  /// A beat that is preceded by a gap begins a segment. One that stands alone makes none: it ends no
  /// interval. A beat that is before the one before it cannot follow it and begins a segment, too.
  ///
  /// - Parameters:
  ///   - start: When the series began, in seconds since whatever instant the caller counts from.
  ///   - beats: In the order of the series.
  /// - Returns: The segments in the order of the beats. Beats at no finite time are passed over, and count as
  ///   a gap.
  public static func segments(
    start: Double, beats: some Sequence<Beat>
  ) -> [RRSegment] {
    var segments: [RRSegment] = []
    var first = 0.0
    var previous: Double?
    var intervals: [Double] = []

    func close() {
      guard !intervals.isEmpty else { return }
      if let segment = RRSegment(start: start + first, intervals: intervals) { segments.append(segment) }
      intervals.removeAll(keepingCapacity: true)
    }

    for beat in beats {
      let offset = beat.offset
      guard offset.isFinite else {
        close()
        previous = nil
        continue
      }
      // The difference of two numbers of ticks is exact, and so is its thousandfold.
      if let last = previous, !beat.precededByGap, offset >= last,
        (offset - last) * 1000 <= longestInterval
      {
        intervals.append((offset - last) * 1000)
      } else {
        close()
        first = offset
      }
      previous = offset
    }
    close()
    return segments
  }
}
