/// The resting heart rate of a day: the lowest mean over five minutes.
///
/// The rule: windows of five minutes begin at each whole minute of the day. One in which the rate is known
/// for less than four fifths of the time does not count, nor one that touches an excluded time. The lowest
/// mean of the others is the resting heart rate; the earliest of equals. Sleep counts, unless the caller
/// excludes it: the figure is then higher. Apple describes its own as an estimate of waking rest, by a rule
/// that it does not tell.
public struct RestingHeartRate: Hashable, Sendable {
  /// Over the window, weighted by time.
  public let beatsPerMinute: Double
  /// The five minutes that it is of.
  public let window: Window
  /// How many windows counted.
  public let windows: Int
}

extension HeartRateSeries {
  /// The resting heart rate by the rule of ``RestingHeartRate``.
  ///
  /// - Parameters:
  ///   - day: At most two days long.
  ///   - excluded: Times of effort, and after it, or of sleep, in any order.
  /// - Throws: `noHeartRate` where no window counts, `windowTooLong`.
  public func restingHeartRate(
    in day: Window, excluding excluded: [Window] = []
  ) throws(Refusal) -> RestingHeartRate {
    let (duration, step, coverage, longest) = (300.0, 60.0, 0.8, 172_800.0)
    guard day.duration <= longest else {
      throw Refusal(.windowTooLong, found: day.duration, needed: longest)
    }
    let times = Exclusions(excluded)
    var lowest: (mean: Double, window: Window)?
    var best = 0.0
    var windows = 0
    for number in 0..<max(Int((day.duration - duration) / step) + 1, 0) {
      let start = day.start + Double(number) * step
      guard let window = Window(start: start, end: start + duration), window.end <= day.end else { continue }
      let share = knownTime(in: window) / duration
      best = max(best, share)
      guard share >= coverage, !times.touch(window), let mean = mean(in: window) else { continue }
      windows += 1
      if mean < lowest?.mean ?? .infinity { lowest = (mean, window) }
    }
    guard let lowest else { throw Refusal(.noHeartRate, found: best, needed: coverage) }
    return RestingHeartRate(beatsPerMinute: lowest.mean, window: lowest.window, windows: windows)
  }
}

/// Times that do not count, as they follow one another without overlap.
private struct Exclusions {
  private var windows: [(start: Double, end: Double)] = []

  init(_ excluded: [Window]) {
    for window in excluded.sorted(by: { $0.start < $1.start }) {
      if let last = windows.last, window.start <= last.end {
        windows[windows.count - 1].end = max(last.end, window.end)
      } else {
        windows.append((window.start, window.end))
      }
    }
  }

  func touch(_ window: Window) -> Bool {
    let next = windows.indices.firstByHalving { windows[$0].end > window.start }
    return next < windows.count && windows[next].start < window.end
  }
}
