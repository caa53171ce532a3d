/// Consecutive RR intervals without a gap, and the time of their first beat.
///
/// If beats may be missing, the segment ends and another begins. No measure in this module uses an interval
/// that spans two segments.
///
/// ```swift
/// let segments = RRSegment.segments(start: 0, beats: [.init(offset: 0), .init(offset: 0.8125)])
/// ```
public struct RRSegment: Hashable, Sendable {
  /// The longest interval in milliseconds: a day. This only prevents overflow; ``RangeLimits`` defines which
  /// intervals are plausible.
  public static let longestInterval = 86_400_000.0
  /// Maximum magnitude of ``start`` in seconds, about 3,000 years.
  public static let farthestStart = 1e11

  /// The time of the first beat in seconds since an instant of the caller's choice. hrgate uses 1970.
  public let start: Double
  /// Intervals in milliseconds, oldest first. The first interval ends at the second beat.
  public let intervals: [Double]

  /// Creates a segment.
  ///
  /// - Returns: `nil` if a number is not finite, an interval is negative or above ``longestInterval``, or the
  ///   start exceeds ``farthestStart``.
  public init?(start: Double, intervals: [Double]) {
    guard Self.isPossible(start: start), intervals.allSatisfy(Self.isPossible(interval:)) else {
      return nil
    }
    self.start = start
    self.intervals = intervals
  }

  /// Creates a segment from intervals in ticks of 1/1024 s, as straps send them (Heart Rate Service 1.0,
  /// §3.1.1.5). A tick is exactly 0.9765625 ms, so nothing is rounded.
  ///
  /// - Returns: `nil` if the start is not finite or exceeds ``farthestStart``.
  public init?(start: Double, ticks: some Sequence<UInt16>) {
    guard Self.isPossible(start: start) else { return nil }
    self.start = start
    intervals = ticks.map { Double($0) * Self.tick }
  }

  /// A tick in milliseconds: 1000/1024.
  public static let tick = 1000.0 / 1024.0

  static func isPossible(interval: Double) -> Bool { interval >= 0 && interval <= longestInterval }

  private static func isPossible(start: Double) -> Bool {
    start.isFinite && abs(start) <= farthestStart
  }
}

extension RRSegment {
  /// One beat of a heartbeat series in a health store.
  public struct Beat: Hashable, Sendable {
    /// Seconds since the start of the series.
    public let offset: Double
    /// Whether beats may be missing directly before it.
    public let precededByGap: Bool

    public init(offset: Double, precededByGap: Bool = false) {
      self.offset = offset
      self.precededByGap = precededByGap
    }
  }

  /// Splits a heartbeat series into segments.
  ///
  /// A segment begins at the first beat, at each beat after a gap, and at a beat whose time is before that of
  /// the previous beat. A beat without an interval on either side results in no segment.
  ///
  /// - Parameters:
  ///   - start: The start of the series in seconds since an instant of the caller's choice.
  ///   - beats: Beats in the order of the series.
  /// - Returns: The segments in the order of the beats. Beats with a time that is not finite are skipped and
  ///   count as a gap.
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
      // For offsets that are multiples of 1/1024 s, the conversion to milliseconds is exact.
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

extension RRSegment {
  /// Returns the part of the segment between two times. Intervals that begin before or end after are left
  /// out.
  ///
  /// - Parameters:
  ///   - start: The earliest start of an interval, inclusive, with the same origin as ``start``.
  ///   - end: The latest end of an interval, inclusive.
  /// - Returns: `nil` if no interval lies between the times.
  public func part(from start: Double, to end: Double) -> RRSegment? {
    var time = self.start
    var index = 0
    while index < intervals.count, time < start {
      time += intervals[index] / 1000
      index += 1
    }
    let (first, beginning) = (index, time)
    while index < intervals.count, time + intervals[index] / 1000 <= end {
      time += intervals[index] / 1000
      index += 1
    }
    return first < index ? RRSegment(start: beginning, intervals: Array(intervals[first..<index])) : nil
  }
}
