/// The RR intervals of one source in chronological order, with artifacts marked. ``Cleaning`` creates it.
///
/// If a person wears two straps at the same time, use one recording for each. In a single recording, segments
/// would overlap and heartbeats would be counted twice.
///
/// ```swift
/// let recording = Cleaning.usual.mark(segments)
/// let series = recording.corrected().pooled()
/// ```
public struct MarkedRecording: Hashable, Sendable {
  /// The segments (RR intervals without a gap) ordered by start.
  public let segments: [MarkedSegment]
  /// For each segment, the time of the last beat in it or in any earlier segment. The values never decrease,
  /// even if segments overlap, so they can be searched.
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

  /// Returns the segments that may have an interval that ends in a window. Uses binary search, which is fast
  /// even for a year of windows and segments.
  func segments(in window: Window) -> ArraySlice<MarkedSegment> {
    // Search from one second earlier, so that a rounding error in a segment's end does not exclude it.
    let first = latestEnds.indices.firstByHalving { latestEnds[$0] > window.start - 1 }
    let end = segments.indices.firstByHalving { segments[$0].start > window.end }
    return segments[min(first, end)..<end]
  }

  /// The number of intervals for each mark that occurs.
  public var counts: [IntervalMark: Int] {
    var counts: [IntervalMark: Int] = [:]
    for segment in segments { for mark in segment.marks { counts[mark, default: 0] += 1 } }
    return counts
  }
}

/// The classification of an RR interval: an interval between two normal beats (NN), or a kind of artifact.
public enum IntervalMark: UInt8, Hashable, Sendable, CaseIterable {
  /// An interval between two normal beats, as far as can be determined.
  case normal
  /// An interval that ``MarkedRecording/corrected()`` inserted in place of artifacts. It counts as an NN
  /// interval and also as an artifact.
  case interpolated
  /// An interval outside ``RangeLimits`` for which no missed, extra or ectopic beat was found.
  case outOfRange
  /// An interval that spans two beats, because the beat in between was not detected.
  case missed
  /// An interval before or after a detected beat that did not exist.
  case extra
  /// An interval before or after a beat that came early or late without changing the rhythm.
  case ectopic
  /// An interval that is too long compared with its neighbors, without one of the causes above.
  case long
  /// An interval that is too short compared with its neighbors, without one of the causes above.
  case short

  /// Whether the interval counts as an NN interval, so that measures use it.
  public var isNN: Bool { self == .normal || self == .interpolated }

  /// Whether the interval is an artifact or replaces one.
  public var isArtefact: Bool { self != .normal }
}
