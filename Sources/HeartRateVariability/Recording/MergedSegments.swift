/// The beats of one source as they were stored, in parts and perhaps more than once, put together with each
/// beat once.
///
/// A part that begins at the beat with which another ends continues it. A run that overlaps with another and
/// has the same intervals is the same heart, received by a second host, link or log: what overlaps is
/// dropped. A run that overlaps with different intervals is kept, because nothing tells which of the two is
/// right; ``Requirements/overlap`` then refuses the windows of that time.
public struct MergedSegments: Hashable, Sendable {
  /// In order of time.
  public private(set) var segments: [RRSegment] = []
  /// The number of intervals that were dropped because the same beats are in ``segments``.
  public private(set) var dropped = 0

  /// - Parameters:
  ///   - parts: Segments of one source, in any order.
  ///   - tolerance: The most by which two times of one beat may differ, in seconds. Times that are stored to
  ///     the microsecond and counted in 1/1024 s differ by less than the default of a millisecond. No heart
  ///     has an interval as short, so no gap is closed.
  public init(_ parts: some Sequence<RRSegment>, within tolerance: Double = 0.001) {
    var latest: RRSegment?
    for run in Self.runs(of: parts, tolerance) {
      guard let last = latest, run.start < last.end - tolerance else {
        segments.append(run)
        latest = run
        continue
      }
      guard last.hasBeats(of: run) else {
        segments.append(run)
        if run.end > last.end { latest = run }
        continue
      }
      let rest = run.part(from: last.end - tolerance, to: .infinity)
      dropped += run.intervals.count - (rest?.intervals.count ?? 0)
      guard let rest else { continue }
      segments.append(rest)
      latest = rest
    }
    segments.sort(by: Self.isBefore)
  }

  /// Parts that continue one another as one segment each, in order of their starts.
  private static func runs(of parts: some Sequence<RRSegment>, _ tolerance: Double) -> [RRSegment] {
    /// - Parameter end: from the start of the last part, so that differences of clocks do not add up.
    typealias Run = (start: Double, end: Double, intervals: [Double])
    var (runs, open): ([RRSegment], [Run]) = ([], [])

    func close(_ run: Run) {
      if let segment = RRSegment(start: run.start, intervals: run.intervals) { runs.append(segment) }
    }

    for part in parts.sorted(by: isBefore) where !part.intervals.isEmpty {
      let isPast = { (run: Run) in run.end < part.start - tolerance }
      for run in open where isPast(run) { close(run) }
      open.removeAll(where: isPast)
      if let index = open.firstIndex(where: { abs($0.end - part.start) <= tolerance }) {
        open[index].intervals += part.intervals
        open[index].end = part.end
      } else {
        open.append((part.start, part.end, part.intervals))
      }
    }
    for run in open { close(run) }
    return runs.sorted(by: isBefore)
  }

  /// The same order for the same segments. Of those that begin at once, the longest is first.
  private static func isBefore(_ one: RRSegment, _ other: RRSegment) -> Bool {
    if one.start != other.start { return one.start < other.start }
    if one.intervals.count != other.intervals.count { return one.intervals.count > other.intervals.count }
    return one.intervals.lexicographicallyPrecedes(other.intervals)
  }
}

extension RRSegment {
  /// When the last beat was, in seconds.
  public var end: Double { start + intervals.reduce(0, +) / 1000 }

  /// Whether the beats that a later segment has in the time of this one are beats of this one: the same
  /// intervals in the same order, at times that differ by no more than clocks and connections do.
  fileprivate func hasBeats(of later: RRSegment) -> Bool {
    let (own, other) = (firstIndex(from: later.start), later.firstIndex(from: start))
    let count = later.firstIndex(from: end) - other
    // A few intervals at the end are what two times of one frame differ by.
    guard count > Self.fewIntervals else { return true }
    return (-Self.mostShift...Self.mostShift).contains { shift in
      let first = own + shift
      let common = max(-first, 0)..<max(min(count, intervals.count - first), -first, 0)
      guard common.count > max(Self.fewIntervals, count / 2) else { return false }
      let same = common.count { abs(intervals[first + $0] - later.intervals[other + $0]) <= 1 }
      return Double(same) >= 0.8 * Double(common.count)
    }
  }

  /// The index of the first interval that begins at a time or later; the number of intervals if there is
  /// none.
  private func firstIndex(from time: Double) -> Int {
    var (index, beginning) = (0, start)
    while index < intervals.count, beginning < time {
      beginning += intervals[index] / 1000
      index += 1
    }
    return index
  }

  private static var fewIntervals: Int { 3 }
  /// The number of beats by which the times of two hosts may differ.
  private static var mostShift: Int { 20 }
}
