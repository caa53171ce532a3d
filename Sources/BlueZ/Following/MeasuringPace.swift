/// Estimates the measuring period of a monitor from receipt times, and the maximum number of measurements
/// that the monitor can have made by a given time.
///
/// A monitor measures at regular intervals. A measurement arrives immediately or late, never early. If
/// receipt times are plotted against the measurements' numbers, punctual measurements lie on a line and late
/// ones above it. The line is the edge of the lower convex hull with the most points on it. If many
/// measurements lie on the line, over a longer time than queued messages take to arrive after a pause, they
/// cannot all be late. If only a few do, all of them may be late by the same amount. The true line may then
/// be earlier, by up to the greatest delay of any measurement.
///
/// If signals were lost, the number of measurements is unknown, so nothing can be plotted. The previous line
/// is then kept until a measurement arrives earlier than it allows.
struct MeasuringPace {
  private struct Line {
    /// The earliest time at which the monitor can have made the last measurement, in seconds on the boot
    /// clock.
    var made: Double
    var period: Double
    /// The greatest delay of a measurement, in seconds.
    var lateness: Double
    /// The number of measurements from the first to the last to which the line was fitted.
    var length: Int

    /// Returns the fitted line extended by a measurement that was received at `time`; `nil` if the
    /// measurement arrived earlier than the line allows.
    func next(at time: Double) -> Line? {
      var line = self
      line.made = min(made + period, time)
      return time >= made + period * (1 - MeasuringPace.punctual) ? line : nil
    }
  }

  /// How well receipt times fit a given measuring period.
  private struct Place {
    let period: Double
    let count: Int
    /// When the monitor made the last measurement, assuming that the punctual measurements had no delay.
    let end: Double
    let lateness: Double
    /// The indices of the punctual measurements, whose delay is at most ``MeasuringPace/punctual`` periods.
    let onTime: [Int]

    init?(of times: [Double], period: Double) {
      let ends = times.indices.map { times[$0] + Double(times.count - 1 - $0) * period }
      guard let end = ends.min(), let latest = ends.max() else { return nil }
      self.period = period
      self.end = end
      count = times.count
      lateness = latest - end
      onTime = ends.indices.filter { ends[$0] - end <= MeasuringPace.punctual * period }
    }

    /// The number of periods from the first punctual measurement to the last.
    var length: Int { (onTime.last ?? 0) - (onTime.first ?? 0) }

    /// Whether each half of the receipt times has enough punctual measurements.
    var isThroughout: Bool {
      let late = onTime.count { 2 * $0 >= count }
      return min(late, onTime.count - late) >= MeasuringPace.enough / 2
    }

    /// Returns the earliest time at which the monitor can have made the last measurement.
    ///
    /// - Parameter lateness: The greatest delay of earlier measurements, in seconds.
    func made(atLeast lateness: Double = 0) -> Double {
      let isSure =
        onTime.count >= MeasuringPace.sure.count && Double(length) * period >= MeasuringPace.sure.seconds
      return isSure ? end : end - max(self.lateness, lateness)
    }
  }

  /// Maximum number of remembered receipt times: half a minute of the fastest monitor, or four minutes at one
  /// per second.
  private static let capacity = 256
  /// Minimum number of punctual measurements for fitting a line to receipt times.
  private static let enough = 6
  /// If no line fits all receipt times, the older half is omitted repeatedly, down to this number of the
  /// latest times.
  private static let fewest = 32
  /// Minimum number of punctual measurements for moving a fitted line in time without changing its period.
  private static let enoughForPhase = 3
  /// Minimum number of punctual measurements, and the minimum time that they cover (in seconds), to conclude
  /// that they are not all late, because queued measurements arrive within less time.
  private static let sure = (count: 12, seconds: 5.0)
  /// Maximum delay of a punctual measurement, in periods.
  private static let punctual = 0.2
  /// Number of periods to add to the maximum number of measurements. If all values are late by one period,
  /// they look punctual, so the estimate would be too low.
  private static let margin = 1.5
  /// Upper limit of ``most(until:)``, so that the conversion to `Int` is safe.
  private static let many = 1e6

  /// Receipt times of consecutive measurements, in seconds on the boot clock.
  private var times: [Double] = []
  /// The line that was fitted to the receipt times before signals were lost.
  private var former: Line?
  /// Whether signals were lost, so that the number of measurements after the last one is unknown.
  private var isInDoubt = false

  mutating func note(_ time: BootTime) {
    let time = Self.seconds(time)
    if isInDoubt {
      isInDoubt = false
      times.removeAll()
    }
    former = former?.next(at: time)
    times.append(time)
    if times.count > Self.capacity { times.removeFirst() }
  }

  /// Records that signals were lost, so that the number of measurements after the last one is unknown.
  mutating func recordDoubt() {
    guard !isInDoubt else { return }
    isInDoubt = true
    former = line
  }

  /// Forgets the measuring period, because more measurements arrived than it allows.
  mutating func disprove() {
    times.removeAll()
    former = nil
  }

  /// The time between two measurements; `nil` if it is unknown.
  var period: Duration? { line.map { .seconds($0.period) } }

  /// The measuring period. The last measurement is ignored if it came too early to fit, because it may be the
  /// first of several queued measurements that arrive together.
  var periodBefore: Duration? {
    period ?? Self.line(throughLastOf: times.dropLast()).map { .seconds($0.period) }
  }

  /// Returns the maximum number of measurements after the last one up to `time`; `nil` if the measuring
  /// period is unknown.
  func most(until time: BootTime) -> Int? {
    guard let line else { return nil }
    let periods = (Self.seconds(time) - line.made) / line.period
    let error = periods * 2 * Self.punctual / Double(line.length)
    return Int(min(max(periods + error + Self.margin, 0), Self.many))
  }

  /// The line fitted to the receipt times since the last loss of signals or to those before it, whichever
  /// spans more measurements.
  private var line: Line? {
    guard let former else { return current }
    if let current, current.length >= former.length { return current }
    return adjusted(former)
  }

  /// Returns `line` with its period unchanged, shifted in time to fit the last measurements.
  private func adjusted(_ line: Line) -> Line {
    guard !isInDoubt, let place = Place(of: times, period: line.period),
      place.onTime.count >= Self.enoughForPhase
    else { return line }
    var line = line
    line.lateness = max(line.lateness, place.lateness)
    line.made = max(line.made, place.made(atLeast: line.lateness))
    return line
  }

  /// The line fitted to all remembered receipt times or, if they do not lie on a line, to the latest of them.
  private var current: Line? { Self.line(throughLastOf: times[...]) }

  private static func line(throughLastOf times: ArraySlice<Double>) -> Line? {
    var count = times.count
    while count >= Self.enough {
      if let line = Self.line(through: times.suffix(count)) { return line }
      count = count > Self.fewest ? max(count / 2, Self.fewest) : 0
    }
    return nil
  }

  private static func line(through times: ArraySlice<Double>) -> Line? {
    let times = Array(times)
    var hull: [Int] = []
    for number in times.indices {
      while hull.count > 1, times.isAbove(hull[hull.count - 1], hull[hull.count - 2], number) {
        hull.removeLast()
      }
      hull.append(number)
    }
    return zip(hull, hull.dropFirst()).compactMap { start, end -> (line: Line, count: Int)? in
      let period = (times[end] - times[start]) / Double(end - start)
      guard period > 0, let place = Place(of: times, period: period), place.isThroughout else { return nil }
      let line = Line(made: place.made(), period: period, lateness: place.lateness, length: place.length)
      return (line, place.onTime.count)
    }.max { $0.count < $1.count }?.line
  }

  private static func seconds(_ time: BootTime) -> Double { Double(time.nanoseconds) / 1e9 }
}

extension [Double] {
  /// Whether `point` lies on or above the line between the two others.
  fileprivate func isAbove(_ point: Int, _ before: Int, _ after: Int) -> Bool {
    (self[point] - self[before]) * Double(after - before) >= (self[after] - self[before])
      * Double(point - before)
  }
}
