extension NNSeries {
  /// Gathers the NN intervals of segments.
  struct Builder {
    private var intervals: [Double] = []
    private var pieces: [Piece] = []
    private var runs: [Range<Int>] = []
    private var measured = 0
    private var artefacts = 0
    /// The times that NN intervals fill, and that all intervals fill.
    private var covered = TimeUnion()
    private var recorded = TimeUnion()
    private var stretches: [Stretch] = []

    /// Makes room, once, for so many intervals.
    mutating func reserve(_ count: Int) { intervals.reserveCapacity(count) }

    /// How many NN intervals there are so far.
    var count: Int { intervals.count }

    /// Takes those of a segment's intervals.
    ///
    /// - Parameters:
    ///   - shift: Added to the ends, in seconds, to have the times of the series.
    ///   - earliest: What an interval covers before this time does not count: it is another window's.
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

    /// What was taken from an index on is a stretch of its own.
    mutating func endStretch(from first: Int, start: Double, duration: Double) {
      guard intervals.count > first else { return }
      stretches.append(Stretch(indices: first..<intervals.count, start: start, duration: duration))
    }

    /// What was taken from the last segment, from an index on, is a stretch, or parts of one: as many equal
    /// ones as there are five minutes in it, each of which is shorter than ten. An interval is of the part in
    /// which it ends.
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

    /// - Parameter duration: The window's; nil for the recorded time.
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

/// Times of which each instant counts once.
private struct TimeUnion {
  private var spans: [(start: Double, end: Double)] = []
  /// Seconds, where each instant counts as often as it occurs.
  private(set) var sum = 0.0

  mutating func add(from start: Double, to end: Double) {
    sum += end - start
    spans.append((start, end))
  }

  /// Seconds.
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
  /// The NN intervals that end in a window.
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

  /// All NN intervals, each segment by itself: one window over each uninterrupted stretch, together. Times
  /// count from the first beat; the coverage is that of the recorded time.
  ///
  /// - Parameter window: Only what ends in it, where one is given.
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
