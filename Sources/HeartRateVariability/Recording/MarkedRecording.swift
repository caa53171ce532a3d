/// All segments of one source, in order of time, with marks. ``Cleaning`` makes it.
///
/// Two straps that were worn at once are two recordings: segments that overlap by more than the straps'
/// clocks differ would count each heartbeat twice.
public struct MarkedRecording: Hashable, Sendable {
  public let segments: [MarkedSegment]
  /// For each segment, when the last beat of it and those before it was: never earlier than for the one
  /// before, also where segments overlap.
  private let latestEnds: [Double]

  init(segments: [MarkedSegment]) {
    let sorted = segments.sorted { $0.start < $1.start }
    var latest = -Double.infinity
    self.segments = sorted
    latestEnds = sorted.map { segment in
      latest = max(latest, segment.start + segment.duration)
      return latest
    }
  }

  /// The segments of which an interval may end in a window, found by halving: a year of windows over a year
  /// of segments looks at each a few times.
  func segments(in window: Window) -> ArraySlice<MarkedSegment> {
    // A second early, because a sum of a start and a duration is rounded.
    let first = latestEnds.indices.firstByHalving { latestEnds[$0] > window.start - 1 }
    let end = segments.indices.firstByHalving { segments[$0].start > window.end }
    return segments[min(first, end)..<end]
  }

  /// How many intervals there are of each mark that occurs.
  public var counts: [IntervalMark: Int] {
    var counts: [IntervalMark: Int] = [:]
    for segment in segments { for mark in segment.marks { counts[mark, default: 0] += 1 } }
    return counts
  }
}
