/// Windows of one length at equal steps: side by side, or sliding over one another.
///
/// They stand at multiples of the step, whatever is recorded; so a beat that arrives late changes the windows
/// that it is in and moves none.
public struct WindowPlan: Hashable, Sendable {
  /// Side by side, five minutes long: what short-term measures are defined over (Task Force 1996).
  public static let fiveMinutes = WindowPlan(duration: 300)
  /// Two minutes long, every five seconds: what α1 is followed by in sport.
  public static let twoMinutesSliding = WindowPlan(duration: 120, every: 5)

  /// Seconds, 1 to 86,400.
  public let duration: Double
  /// Seconds from one window's start to the next one's: at least 1 and a thousandth of ``duration``, at most
  /// all of it.
  public let step: Double
  /// A window begins at this instant.
  public let origin: Double

  /// What is out of its limits is brought to the nearest that is not.
  ///
  /// - Parameter step: `nil` for windows side by side.
  public init(duration: Double, every step: Double? = nil, origin: Double = 0) {
    self.duration = duration.isNaN ? 300 : min(max(duration, 1), 86_400)
    let step = step ?? self.duration
    let shortest = max(1, self.duration / 1000)
    self.step = step.isNaN ? self.duration : min(max(step, shortest), self.duration)
    self.origin = origin.isFinite && abs(origin) <= RRSegment.farthestStart ? origin : 0
  }

  /// The windows in which an interval ends, in order of time.
  public func windows(of recording: MarkedRecording) -> [Window] {
    var numbers: Set<Int> = []
    for segment in recording.segments {
      var index = 0
      while index < segment.intervals.count {
        let time = segment.start + segment.end(of: index)
        // A window ends at its last instant and begins after its first.
        let last = Int(((time - origin) / step).rounded(.up)) - 1
        let first = min(Int(((time - origin - duration) / step).rounded(.up)), last)
        numbers.formUnion(first...last)
        // Intervals that end before the first of these windows does, and before another begins, are in the
        // same.
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
