/// The heart rate during a day, by minute. For each minute, it stores the mean heart rate and for how many
/// seconds the heart rate is known.
///
/// A minute depends only on the readings in it and on earlier ones that are still valid in it. If readings
/// arrive late or are deleted, only the minutes in which they are valid must be recomputed. The result is
/// exactly the same as if the whole day were recomputed.
///
/// ```swift
/// var minutes = try HeartRateMinutes(of: day)
/// minutes.replace(minutes.indices, by: heartRates)
/// print(try minutes.restingHeartRate(excluding: workouts).beatsPerMinute)
/// ```
public struct HeartRateMinutes: Hashable, Sendable {
  /// A minute in seconds.
  public static let minute = 60.0
  /// Maximum duration in seconds: two days.
  static let longestDay = 172_800.0

  /// The day, at most 48 hours long.
  public let day: Window
  /// The number of complete minutes in the day.
  private let count: Int
  /// The minutes in which a heart rate is known, in order. Other minutes are not stored.
  private var minutes: [Minute] = []

  private struct Minute: Hashable {
    let number: Int
    /// The number of seconds for which the heart rate is known.
    let known: Double
    /// The sum of the heart rates, each multiplied by the seconds for which it is valid.
    let sum: Double
  }

  /// Creates a day without known heart rates.
  ///
  /// - Throws: `windowTooLong` above two days.
  public init(of day: Window) throws(MeasureError) {
    guard day.duration <= Self.longestDay else {
      throw MeasureError(.windowTooLong, found: day.duration, needed: Self.longestDay)
    }
    self.day = day
    count = Int(day.duration / Self.minute)
  }

  /// The indices of the complete minutes of the day.
  public var indices: Range<Int> { 0..<count }

  /// The number of minutes in which a heart rate is known.
  public var knownCount: Int { minutes.count }

  /// Returns the start of a minute in seconds, with the same origin as the day's bounds. For the upper bound
  /// of ``indices``, returns the end of the last minute.
  public func start(of minute: Int) -> Double { day.start + Double(minute) * Self.minute }

  /// Recomputes minutes from a series. The series must contain all readings in these minutes, and earlier
  /// ones that are still valid in them.
  ///
  /// - Parameter range: A range of ``indices``. Other indices are ignored.
  public mutating func replace(_ range: Range<Int>, by series: HeartRateSeries) {
    let range = range.clamped(to: indices)
    let places = place(of: range.lowerBound)..<place(of: range.upperBound)
    minutes.replaceSubrange(places, with: range.compactMap { minute($0, of: series) })
  }

  private func place(of number: Int) -> Int {
    minutes.indices.firstByHalving { minutes[$0].number >= number }
  }

  private func minute(_ number: Int, of series: HeartRateSeries) -> Minute? {
    guard let window = Window(start: start(of: number), end: start(of: number + 1)) else { return nil }
    var (known, sum) = (0.0, 0.0)
    for span in series.spans(in: window) {
      known += span.duration
      sum += span.duration * span.beatsPerMinute
    }
    return known > 0 ? Minute(number: number, known: known, sum: sum) : nil
  }

  /// Returns the resting heart rate: the lowest mean over five minutes, as ``RestingHeartRate`` defines it.
  ///
  /// - Parameter excluded: Times of exercise, recovery or sleep, in any order.
  /// - Throws: `noHeartRate` if no window qualifies.
  public func restingHeartRate(excluding excluded: [Window] = []) throws(MeasureError) -> RestingHeartRate {
    let (length, coverage) = (5, 0.8)
    let duration = Double(length) * Self.minute
    let times = Exclusions(excluded)
    var lowest: (mean: Double, window: Window)?
    var best = 0.0
    var windows = 0
    var place = 0
    var first = 0
    // Skip windows in which no heart rate is known.
    while place < minutes.count, first + length <= count {
      first = max(first, minutes[place].number - length + 1)
      guard first + length <= count else { break }
      let part = minutes[place...].prefix { $0.number < first + length }
      let known = part.reduce(0) { $0 + $1.known }
      best = max(best, known / duration)
      if known / duration >= coverage,
        let window = Window(start: start(of: first), end: start(of: first + length)), !times.touch(window)
      {
        windows += 1
        let mean = part.reduce(0) { $0 + $1.sum } / known
        if mean < lowest?.mean ?? .infinity { lowest = (mean, window) }
      }
      if minutes[place].number == first { place += 1 }
      first += 1
    }
    guard let lowest else { throw MeasureError(.noHeartRate, found: best, needed: coverage) }
    return RestingHeartRate(beatsPerMinute: lowest.mean, window: lowest.window, windows: windows)
  }
}

/// The excluded times, sorted and merged so that they do not overlap.
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
