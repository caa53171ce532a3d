/// A time range for which measures are computed. An RR interval belongs to the window in which it ends.
public struct Window: Hashable, Sendable {
  /// The start in seconds, with the same origin as ``RRSegment/start``. An interval that ends exactly here is
  /// not in the window.
  public let start: Double
  /// The end in seconds. An interval that ends exactly here is in the window.
  public let end: Double

  /// Creates a window.
  ///
  /// - Returns: `nil` if a number is not finite or too large, or if the window has no duration.
  public init?(start: Double, end: Double) {
    guard start < end, abs(start) <= 2 * RRSegment.farthestStart, abs(end) <= 2 * RRSegment.farthestStart
    else { return nil }
    self.start = start
    self.end = end
  }

  /// The duration in seconds.
  public var duration: Double { end - start }
}

/// Windows of equal length at equal steps, either adjacent or overlapping.
///
/// Windows begin at multiples of the step, regardless of the data. A beat that arrives late therefore changes
/// only the windows that contain it.
///
/// ```swift
/// for window in WindowPlan.twoMinutesSliding.windows(of: recording) {
///   print(window.start, try recording.nn(in: window).alpha())
/// }
/// ```
public struct WindowPlan: Hashable, Sendable {
  /// Adjacent windows of five minutes, for which short-term measures are defined (Task Force 1996).
  public static let fiveMinutes = WindowPlan(duration: 300)
  /// Windows of two minutes every five seconds, as used for α1 in sports.
  public static let twoMinutesSliding = WindowPlan(duration: 120, every: 5)

  /// The duration of a window in seconds, 1 to 86,400.
  public let duration: Double
  /// Seconds from the start of one window to the start of the next: at least 1, at least a thousandth of
  /// ``duration``, and at most ``duration``.
  public let step: Double
  /// The time in seconds to which the windows are aligned: each starts a multiple of ``step`` before or after
  /// it.
  public let origin: Double

  /// Creates a plan. Values out of range are clamped.
  ///
  /// - Parameter step: The step in seconds, or `nil` for adjacent windows, which do not overlap.
  public init(duration: Double, every step: Double? = nil, origin: Double = 0) {
    self.duration = duration.isNaN ? 300 : min(max(duration, 1), 86_400)
    let step = step ?? self.duration
    let shortest = max(1, self.duration / 1000)
    self.step = step.isNaN ? self.duration : min(max(step, shortest), self.duration)
    self.origin = origin.isFinite && abs(origin) <= RRSegment.farthestStart ? origin : 0
  }

  /// Returns the windows in which at least one interval ends, in chronological order.
  public func windows(of recording: MarkedRecording) -> [Window] {
    var numbers: Set<Int> = []
    for segment in recording.segments {
      var index = 0
      while index < segment.intervals.count {
        let time = segment.start + segment.end(of: index)
        // The end of a window is inclusive, and its start is exclusive.
        let last = Int(((time - origin) / step).rounded(.up)) - 1
        let first = min(Int(((time - origin - duration) / step).rounded(.up)), last)
        numbers.formUnion(first...last)
        // Skip the intervals that belong to the same windows: those before the first of these windows ends or
        // another one begins.
        let change = min(start(of: first) + duration, start(of: last + 1))
        index = max(index + 1, segment.firstIndex(endingAfter: change - segment.start))
      }
    }
    return numbers.sorted().compactMap { number in
      Window(start: start(of: number), end: start(of: number) + duration)
    }
  }

  private func start(of number: Int) -> Double { origin + Double(number) * step }
}
