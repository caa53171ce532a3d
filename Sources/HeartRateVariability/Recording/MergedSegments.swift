/// The beats of one source, merged from stored parts that may overlap. Each beat occurs once.
///
/// - A part that begins at the beat with which another part ends continues that part.
/// - If two parts overlap and have the same intervals, the same beats were recorded twice, by two hosts,
///   links or logs. One copy of the overlap is dropped.
/// - If two parts overlap and have different intervals, both are kept, because it is unknown which one is
///   right. ``Requirements/overlap`` then rejects the affected windows.
///
/// ```swift
/// let merged = MergedSegments(fromLink + fromLog)
/// let recording = Cleaning.usual.mark(merged.segments)
/// print(merged.dropped, recording.segments.count)
/// ```
public struct MergedSegments: Hashable, Sendable {
  /// The merged segments in chronological order.
  public private(set) var segments: [RRSegment] = []
  /// The number of intervals that were dropped because ``segments`` already has the same beats.
  public private(set) var dropped = 0

  /// Merges segments.
  ///
  /// - Parameters:
  ///   - parts: Segments of one source, in any order.
  ///   - tolerance: The maximum difference in seconds between two recorded times of the same beat. A time in
  ///     microseconds and one in ticks of 1/1024 s differ by less than one millisecond, the default. No RR
  ///     interval is that short, so different beats are never taken for the same one.
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

  /// Joins parts that continue one another. Returns the result ordered by start.
  private static func runs(of parts: some Sequence<RRSegment>, _ tolerance: Double) -> [RRSegment] {
    /// A sequence of joined parts to which more can be added. Its end is computed from the start of the last
    /// part, so that clock differences do not accumulate.
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

  /// Returns whether a segment sorts before another one. Of segments with the same start, the longest comes
  /// first. The result of sorting does not depend on the original order.
  private static func isBefore(_ one: RRSegment, _ other: RRSegment) -> Bool {
    if one.start != other.start { return one.start < other.start }
    if one.intervals.count != other.intervals.count { return one.intervals.count > other.intervals.count }
    return one.intervals.lexicographicallyPrecedes(other.intervals)
  }
}

extension RRSegment {
  /// The time of the last beat in seconds.
  public var end: Double { start + intervals.reduce(0, +) / 1000 }

  /// Returns whether a later segment repeats beats of this one: at least four fifths of the overlapping
  /// intervals are equal to within a millisecond. Because of clock differences and delays of two receivers,
  /// the repeated intervals may be shifted by up to ``mostShift`` beats.
  fileprivate func hasBeats(of later: RRSegment) -> Bool {
    let (own, other) = (firstIndex(from: later.start), later.firstIndex(from: start))
    let count = later.firstIndex(from: end) - other
    // An overlap of only a few intervals at the end is one frame that was recorded with two different times.
    guard count > Self.fewIntervals else { return true }
    return (-Self.mostShift...Self.mostShift).contains { shift in
      let first = own + shift
      let common = max(-first, 0)..<max(min(count, intervals.count - first), -first, 0)
      guard common.count > max(Self.fewIntervals, count / 2) else { return false }
      let same = common.count { abs(intervals[first + $0] - later.intervals[other + $0]) <= 1 }
      return Double(same) >= 0.8 * Double(common.count)
    }
  }

  /// Returns the index of the first interval that begins at or after a time, or the number of intervals if
  /// all begin earlier.
  private func firstIndex(from time: Double) -> Int {
    var (index, beginning) = (0, start)
    while index < intervals.count, beginning < time {
      beginning += intervals[index] / 1000
      index += 1
    }
    return index
  }

  private static var fewIntervals: Int { 3 }
  /// Maximum number of beats by which two receivers' times for the same beats may be shifted.
  private static var mostShift: Int { 20 }
}
