/// The heart rate over the time: each reading holds until the next one, but no longer than ``longestHold``.
/// After that nothing is known, and nothing is assumed.
public struct HeartRateSeries: Hashable, Sendable {
  /// Seconds: straps tell every second, watches every five.
  public static let usualHold = 10.0

  /// In order of time, and those of one instant by their rate: of these the highest holds, in whatever order
  /// they came.
  public let readings: [HeartRateReading]
  /// Seconds, above 0.
  public let longestHold: Double
  /// How long each reading holds, in seconds.
  let holds: [Double]
  /// Up to each reading, and after the last: the seconds that are known, and the beats in them.
  private let known: [Double]
  private let beats: [Double]

  /// - Parameter longestHold: Brought to between a second and an hour.
  public init(_ readings: some Sequence<HeartRateReading>, longestHold: Double = usualHold) {
    let hold = longestHold.isNaN ? Self.usualHold : min(max(longestHold, 1), 3600)
    let sorted = readings.sorted { ($0.time, $0.beatsPerMinute) < ($1.time, $1.beatsPerMinute) }
    self.readings = sorted
    self.longestHold = hold
    holds = sorted.indices.map { index in
      index + 1 < sorted.count ? min(sorted[index + 1].time - sorted[index].time, hold) : hold
    }
    var (known, beats) = ([0.0], [0.0])
    for (reading, hold) in zip(sorted, holds) {
      known.append(known[known.count - 1] + hold)
      beats.append(beats[beats.count - 1] + hold * reading.beatsPerMinute / 60)
    }
    self.known = known
    self.beats = beats
  }

  /// The seconds of a window in which the rate is known.
  public func knownTime(in window: Window) -> Double {
    max(before(window.end).known - before(window.start).known, 0)
  }

  /// The mean over a window, each rate weighted by how long it held, in beats per minute; `nil` where none is
  /// known.
  public func mean(in window: Window) -> Double? {
    let (from, to) = (before(window.start), before(window.end))
    let time = to.known - from.known
    return time > 0 ? 60 * (to.beats - from.beats) / time : nil
  }

  /// The readings of a window, with the seconds of it that each holds.
  func spans(in window: Window) -> some Sequence<(beatsPerMinute: Double, duration: Double)> {
    let first = max(firstIndex(after: window.start) - 1, 0)
    return readings.indices.dropFirst(first).lazy.prefix { readings[$0].time < window.end }.map { index in
      let start = max(readings[index].time, window.start)
      let end = min(readings[index].time + holds[index], window.end)
      return (readings[index].beatsPerMinute, max(end - start, 0))
    }
  }

  /// The index of the first reading after an instant.
  func firstIndex(after time: Double) -> Int {
    readings.indices.firstByHalving { readings[$0].time > time }
  }

  /// What is known up to an instant.
  private func before(_ time: Double) -> (known: Double, beats: Double) {
    let next = firstIndex(after: time)
    guard next > 0 else { return (0, 0) }
    let held = min(time - readings[next - 1].time, holds[next - 1])
    return (known[next - 1] + held, beats[next - 1] + held * readings[next - 1].beatsPerMinute / 60)
  }
}
