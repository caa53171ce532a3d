/// The heart rate over time. Each reading is valid until the next one, but for at most ``longestHold``
/// seconds. After that the heart rate is unknown.
///
/// ```swift
/// let heartRates = HeartRateSeries(
///   samples.compactMap { HeartRateReading(time: $0.time, beatsPerMinute: $0.value) })
/// if let window = Window(start: 0, end: 300) { print(heartRates.mean(in: window) ?? 0) }
/// ```
public struct HeartRateSeries: Hashable, Sendable {
  /// The default time in seconds for which a reading is valid. Straps send a reading every second, and
  /// watches every five seconds.
  public static let usualHold = 10.0

  /// The readings in chronological order. Of several readings at the same time, the highest is last and is
  /// the valid one, regardless of the order in which they were passed.
  public let readings: [HeartRateReading]
  /// The maximum time in seconds for which a reading is valid, above 0.
  public let longestHold: Double
  /// For each reading, the time in seconds for which it is valid.
  let holds: [Double]
  /// Cumulative sums before each reading and after the last: the seconds for which the heart rate is known,
  /// and the beats in that time.
  private let known: [Double]
  private let beats: [Double]

  /// Creates a series.
  ///
  /// - Parameter longestHold: The maximum time in seconds for which a reading is valid. It is clamped to the
  ///   range from one second to one hour.
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

  /// Returns the number of seconds in a window for which the heart rate is known.
  public func knownTime(in window: Window) -> Double {
    max(before(window.end).known - before(window.start).known, 0)
  }

  /// Returns the mean over a window in beats per minute, weighted by time, or `nil` if the heart rate is not
  /// known at any time in it.
  public func mean(in window: Window) -> Double? {
    let (from, to) = (before(window.start), before(window.end))
    let time = to.known - from.known
    return time > 0 ? 60 * (to.beats - from.beats) / time : nil
  }

  /// Returns the readings that are valid in a window, each with the seconds for which it is valid there.
  func spans(in window: Window) -> some Sequence<(beatsPerMinute: Double, duration: Double)> {
    let first = max(firstIndex(after: window.start) - 1, 0)
    return readings.indices.dropFirst(first).lazy.prefix { readings[$0].time < window.end }.map { index in
      let start = max(readings[index].time, window.start)
      let end = min(readings[index].time + holds[index], window.end)
      return (readings[index].beatsPerMinute, max(end - start, 0))
    }
  }

  /// Returns the index of the first reading after a time.
  func firstIndex(after time: Double) -> Int {
    readings.indices.firstByHalving { readings[$0].time > time }
  }

  /// Returns the known seconds before a time, and the beats in them.
  private func before(_ time: Double) -> (known: Double, beats: Double) {
    let next = firstIndex(after: time)
    guard next > 0 else { return (0, 0) }
    let held = min(time - readings[next - 1].time, holds[next - 1])
    return (known[next - 1] + held, beats[next - 1] + held * readings[next - 1].beatsPerMinute / 60)
  }
}

/// A heart rate with its time.
public struct HeartRateReading: Hashable, Sendable {
  /// Seconds since an instant of the caller's choice.
  public let time: Double
  /// The heart rate in beats per minute, above 0 and at most 1,000.
  public let beatsPerMinute: Double

  /// Creates a reading.
  ///
  /// - Returns: `nil` if a number is not finite or is out of range, such as the 0 that a strap sends while it
  ///   is not worn.
  public init?(time: Double, beatsPerMinute: Double) {
    guard abs(time) <= RRSegment.farthestStart, beatsPerMinute > 0, beatsPerMinute <= 1000 else { return nil }
    self.time = time
    self.beatsPerMinute = beatsPerMinute
  }
}
