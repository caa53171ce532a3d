/// The heart rate of a day by its minutes: for how many seconds of each it is known, and how high it was.
///
/// What a minute says hangs on the readings in it, and on those before it that still hold, and on nothing
/// else, to the last bit. So where readings come late or go, their minutes are made anew, and the others
/// stay.
public struct HeartRateMinutes: Hashable, Sendable {
  /// Seconds.
  public static let minute = 60.0
  /// Seconds: as long as the longest day and the one after it.
  static let longestDay = 172_800.0

  public let day: Window
  /// How many whole minutes the day has.
  private let count: Int
  /// The minutes in which a rate is known, in order: a source that is heard once takes no room for a day.
  private var minutes: [Minute] = []

  private struct Minute: Hashable {
    let number: Int
    /// Seconds.
    let known: Double
    /// Of the rates, each times the seconds for which it held.
    let sum: Double
  }

  /// Nothing is known yet.
  ///
  /// - Throws: `windowTooLong` above two days.
  public init(of day: Window) throws(Refusal) {
    guard day.duration <= Self.longestDay else {
      throw Refusal(.windowTooLong, found: day.duration, needed: Self.longestDay)
    }
    self.day = day
    count = Int(day.duration / Self.minute)
  }

  /// The whole minutes of the day, by their numbers.
  public var indices: Range<Int> { 0..<count }

  /// How many minutes know anything.
  public var knownCount: Int { minutes.count }

  /// When a minute begins; that of ``indices``' upper bound, when the last one ends. Seconds, as the day
  /// counts them.
  public func start(of minute: Int) -> Double { day.start + Double(minute) * Self.minute }

  /// Makes minutes anew of a series that has all readings in them and in the hold before them.
  ///
  /// - Parameter range: Of ``indices``; others are passed over.
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

  /// The resting heart rate by the rule of ``RestingHeartRate``.
  ///
  /// - Parameter excluded: Times of effort, and after it, or of sleep, in any order.
  /// - Throws: `noHeartRate` where no window counts.
  public func restingHeartRate(excluding excluded: [Window] = []) throws(Refusal) -> RestingHeartRate {
    let (length, coverage) = (5, 0.8)
    let duration = Double(length) * Self.minute
    let times = Exclusions(excluded)
    var lowest: (mean: Double, window: Window)?
    var best = 0.0
    var windows = 0
    var place = 0
    var first = 0
    // Windows in which nothing is known are passed over.
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
