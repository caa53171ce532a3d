extension NNSeries {
  /// Builds a series from the NN intervals of segments.
  struct Builder {
    private var intervals: [Double] = []
    private var pieces: [Piece] = []
    private var runs: [Range<Int>] = []
    private var measured = 0
    private var artefacts = 0
    /// The times covered by NN intervals, and by all intervals.
    private var covered = TimeUnion()
    private var recorded = TimeUnion()
    private var stretches: [Stretch] = []

    /// Reserves capacity for a number of intervals. Call this once.
    mutating func reserve(_ count: Int) { intervals.reserveCapacity(count) }

    /// The number of NN intervals so far.
    var count: Int { intervals.count }

    /// Appends the NN intervals of a segment.
    ///
    /// - Parameters:
    ///   - shift: Seconds to add to times in the segment to get times in the series.
    ///   - earliest: The start of the window. The part of an interval before this time does not count as
    ///     covered.
    mutating func append(
      _ indices: Range<Int>, of segment: MarkedSegment, shift: Double, earliest: Double = -.infinity
    ) {
      measured += indices.count
      if let first = indices.first, let last = indices.last {
        recorded.add(
          from: max(segment.beginning(of: first) + shift, earliest), to: segment.end(of: last) + shift)
      }
      pieces.append(Piece(segment: segment, indices: indices, shift: shift))
      if segment.isNormal { return append(run: indices, of: segment, shift, earliest) }
      var index = indices.lowerBound
      while index < indices.upperBound {
        let start = index
        while index < indices.upperBound, segment.marks[index].isNN {
          if segment.marks[index].isArtefact { artefacts += 1 }
          index += 1
        }
        append(run: start..<index, of: segment, shift, earliest)
        if index < indices.upperBound {
          artefacts += 1
          index += 1
        }
      }
    }

    private mutating func append(
      run: Range<Int>, of segment: MarkedSegment, _ shift: Double, _ earliest: Double
    ) {
      guard let first = run.first, let last = run.last else { return }
      runs.append(intervals.count..<intervals.count + run.count)
      intervals += segment.intervals[run]
      covered.add(
        from: max(segment.beginning(of: first) + shift, earliest), to: segment.end(of: last) + shift)
    }

    /// Makes a stretch (see ``NNSeries/stretches``) of all intervals from an index onward.
    mutating func endStretch(from first: Int, start: Double, duration: Double) {
      guard intervals.count > first else { return }
      stretches.append(Stretch(indices: first..<intervals.count, start: start, duration: duration))
    }

    /// Makes stretches (see ``NNSeries/stretches``) of the last segment's intervals, which begin at an index.
    ///
    /// A long stretch is divided into equal parts, one for every five minutes, so each part is shorter than
    /// ten minutes. An interval belongs to the part in which it ends.
    mutating func endParts(from first: Int, start: Double, duration: Double) {
      let count = min(max(Int(duration / NNSeries.Stretch.shortestPart), 1), intervals.count - first)
      guard count > 1, let piece = pieces.last else {
        return endStretch(from: first, start: start, duration: duration)
      }
      let times = piece.times
      var index = 0
      for number in 0..<count {
        let (begin, end) = (
          start + duration * Double(number) / Double(count),
          start + duration * Double(number + 1) / Double(count)
        )
        let isLast = number == count - 1
        let next = isLast ? times.count : (index..<times.count).firstByHalving { times[$0] > end }
        if index < next {
          stretches.append(
            Stretch(
              indices: first + index..<first + next, start: begin, duration: duration / Double(count)))
        }
        index = next
      }
    }

    /// Returns the series.
    ///
    /// - Parameter duration: The duration of the window, or `nil` to use the recorded time.
    func series(duration: Double?) -> NNSeries {
      let all = recorded.duration
      let duration = duration ?? all
      return NNSeries(
        intervals: intervals, pieces: pieces, runs: runs, measured: measured, artefacts: artefacts,
        coverage: duration > 0 ? min(covered.duration / duration, 1) : 0,
        overlap: duration > 0 ? max(recorded.sum - all, 0) / duration : 0, duration: duration,
        stretches: stretches)
    }
  }
}

/// A set of time spans that may overlap.
private struct TimeUnion {
  private var spans: [(start: Double, end: Double)] = []
  /// The sum of all spans in seconds. Time covered by several spans counts several times.
  private(set) var sum = 0.0

  mutating func add(from start: Double, to end: Double) {
    sum += end - start
    spans.append((start, end))
  }

  /// The duration of the union in seconds. Time covered by several spans counts once.
  var duration: Double {
    var (total, latest) = (0.0, -Double.infinity)
    for span in spans.sorted(by: { $0.start < $1.start }) where span.end > latest {
      total += span.end - max(span.start, latest)
      latest = span.end
    }
    return total
  }
}

extension MarkedRecording {
  /// Returns the NN intervals that end in a window.
  public func nn(in window: Window) -> NNSeries {
    var builder = NNSeries.Builder()
    let parts = segments(in: window).map { ($0, $0.indices(in: window)) }
    builder.reserve(parts.reduce(0) { $0 + $1.1.count })
    for (segment, indices) in parts where !indices.isEmpty {
      builder.append(indices, of: segment, shift: segment.start - window.start, earliest: 0)
    }
    builder.endStretch(from: 0, start: 0, duration: window.duration)
    return builder.series(duration: window.duration)
  }

  /// Returns the NN intervals of all segments as one series. Each segment is a separate stretch for the
  /// spectrum. Times are relative to the first beat. Coverage is relative to the recorded time.
  ///
  /// - Parameter window: If not nil, only intervals that end in this window are included.
  public func pooled(in window: Window? = nil) -> NNSeries {
    var builder = NNSeries.Builder()
    let origin = window?.start ?? segments.first?.start ?? 0
    for segment in segments {
      let indices = window.map(segment.indices) ?? segment.intervals.indices
      guard let first = indices.first, let last = indices.last else { continue }
      let shift = segment.start - origin
      let earliest = window == nil ? -Double.infinity : 0
      let before = builder.count
      builder.append(indices, of: segment, shift: shift, earliest: earliest)
      let start = max(segment.beginning(of: first) + shift, earliest)
      let stretch = segment.end(of: last) + shift - start
      builder.endParts(from: before, start: start, duration: stretch)
    }
    return builder.series(duration: nil)
  }
}
