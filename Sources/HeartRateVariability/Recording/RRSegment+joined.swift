extension RRSegment {
  /// Puts together what was stored in parts: a part that begins at the very beat with which another ends goes
  /// on where that one ended.
  ///
  /// - Parameters:
  ///   - parts: Segments of one source, in any order.
  ///   - tolerance: How many seconds two times of one beat may differ. Those that are stored to the
  ///     microsecond and counted in 1/1024 s differ by less than the millisecond of default. No heart has an
  ///     interval as short, so no gap is closed.
  public static func joined(_ parts: some Sequence<RRSegment>, within tolerance: Double = 0.001)
    -> [RRSegment]
  {
    var joined: [RRSegment] = []
    var (start, end, intervals) = (0.0, -Double.infinity, [Double]())

    func close() {
      if !intervals.isEmpty, let segment = RRSegment(start: start, intervals: intervals) {
        joined.append(segment)
      }
    }

    for part in parts.sorted(by: { $0.start < $1.start }) {
      if intervals.isEmpty || abs(part.start - end) > tolerance {
        close()
        (start, intervals) = (part.start, part.intervals)
        end = part.start
      } else {
        intervals += part.intervals
        // From the part's own start: what two clocks differ by does not add up.
        end = part.start
      }
      end += part.intervals.reduce(0, +) / 1000
    }
    close()
    return joined
  }
}
