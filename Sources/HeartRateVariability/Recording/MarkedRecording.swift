/// All segments of one source with marks, in order of time. ``Cleaning`` creates it.
///
/// Use one recording for each of two straps that are worn at the same time. If segments overlap by more than
/// the difference of the straps' clocks, heartbeats would be counted twice.
///
/// ```swift
/// let recording = Cleaning.usual.mark(segments)
/// let series = recording.corrected().pooled()
/// ```
public struct MarkedRecording: Hashable, Sendable {
  /// The segments in order of their starts.
  public let segments: [MarkedSegment]
  /// For each segment, the time of the last beat in it and all previous segments. The values never decrease,
  /// even if segments overlap.
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

  /// Returns the segments with an interval that may end in a window. The binary search makes a year of
  /// windows over a year of segments affordable.
  func segments(in window: Window) -> ArraySlice<MarkedSegment> {
    // Search one second earlier, because the sum of a start and a duration is rounded.
    let first = latestEnds.indices.firstByHalving { latestEnds[$0] > window.start - 1 }
    let end = segments.indices.firstByHalving { segments[$0].start > window.end }
    return segments[min(first, end)..<end]
  }

  /// The number of intervals with each mark that occurs.
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
  /// An interval that ``MarkedRecording/corrected()`` inserted instead of artifacts. It counts both as an NN
  /// interval and as an artifact.
  case interpolated
  /// Outside ``RangeLimits``, but not because of a missed, extra or ectopic beat.
  case outOfRange
  /// An interval over two beats, because the one between was not detected.
  case missed
  /// Before or after a detected beat that was not real.
  case extra
  /// Before or after an early or late beat that did not change the rhythm.
  case ectopic
  /// Longer than its neighbors allow, for no reason above.
  case long
  /// Shorter than its neighbors allow, for no reason above.
  case short

  /// Whether the interval is used in measures.
  public var isNN: Bool { self == .normal || self == .interpolated }

  /// Whether the interval is an artifact or replaces one.
  public var isArtefact: Bool { self != .normal }
}
