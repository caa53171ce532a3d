/// How often a monitor measures, by when its measurements were received: at most so many can have been
/// measured by a given time.
///
/// A monitor measures at regular times, and what it measures comes at once or late, never early. So where the
/// times of receipt are drawn over the measurements' numbers, the punctual ones lie on a line and the late
/// ones above it: the line is the edge of the lower hull on which most of them lie. Many of them, over a time
/// that is longer than a queue takes to be worked off, are not all late. Of fewer, nothing shows that: the
/// last one is taken to have been measured as long before the line as any of them came after it.
///
/// Where it is not known how many measurements came, there are no numbers to draw over: the line of those
/// before stays, and what came for certain since then moves along it, until one comes earlier than it allows.
struct MeasuringPace {
  private struct Line {
    /// The last measurement was not made before this, in seconds on the boot clock.
    var made: Double
    var period: Double
    /// How late measurements came.
    var lateness: Double
    /// Over so many measurements the line was drawn.
    var length: Int

    /// The line one measurement on; `nil` where `time`, when that came, is earlier than the line allows.
    func next(at time: Double) -> Line? {
      var line = self
      line.made = min(made + period, time)
      return time >= made + period * (1 - MeasuringPace.punctual) ? line : nil
    }
  }

  /// Where measurements with this period between them lie.
  private struct Place {
    let period: Double
    let count: Int
    /// The last one, if the most punctual ones were punctual.
    let end: Double
    let lateness: Double
    /// Which were punctual.
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

    /// From the first of the punctual ones to the last.
    var length: Int { (onTime.last ?? 0) - (onTime.first ?? 0) }

    /// Enough of them were punctual, at the beginning as well as in the end.
    var isThroughout: Bool {
      let late = onTime.count { 2 * $0 >= count }
      return min(late, onTime.count - late) >= MeasuringPace.enough / 2
    }

    /// The last one was not made before this.
    ///
    /// - Parameter lateness: So late measurements have been before.
    func made(atLeast lateness: Double = 0) -> Double {
      let isSure =
        onTime.count >= MeasuringPace.sure.count && Double(length) * period >= MeasuringPace.sure.seconds
      return isSure ? end : end - max(self.lateness, lateness)
    }
  }

  /// So many are remembered: half a minute at the fastest, four minutes at the usual pace.
  private static let capacity = 256
  /// So many have to lie on the line.
  private static let enough = 6
  /// Of no fewer than so many is the line drawn, where there are more.
  private static let fewest = 32
  /// So many have to lie on a line whose slope is known.
  private static let enoughForPhase = 3
  /// So many, over so many seconds, are not all late: a queue is worked off sooner.
  private static let sure = (count: 12, seconds: 5.0)
  /// A measurement so late, in periods, is still punctual.
  private static let punctual = 0.2
  /// What is allowed for the line's error, in periods: what is read at regular times may all be late by one,
  /// and look punctual.
  private static let margin = 1.5
  /// More need not be told apart.
  private static let many = 1e6

  /// When measurements in a row were received, in seconds on the boot clock.
  private var times: [Double] = []
  /// Of those before.
  private var former: Line?
  /// How many measurements came after the last one is not known.
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

  /// Some more may have been measured after the last one.
  mutating func noteDoubt() {
    guard !isInDoubt else { return }
    isInDoubt = true
    former = line
  }

  /// More measurements came than there can have been, so what is known of the pace is wrong.
  mutating func disprove() {
    times.removeAll()
    former = nil
  }

  /// Between two measurements; `nil` where the last ones lie on no line.
  var period: Duration? { line.map { .seconds($0.period) } }

  /// The same without the last measurement if that was too early, as the first of a queue is.
  var periodBefore: Duration? {
    period ?? Self.line(throughLastOf: times.dropLast()).map { .seconds($0.period) }
  }

  /// How many measurements there can be at most after the last one, up to `time`; `nil` where the last ones
  /// lie on no line.
  func most(until time: BootTime) -> Int? {
    guard let line else { return nil }
    let periods = (Self.seconds(time) - line.made) / line.period
    let error = periods * 2 * Self.punctual / Double(line.length)
    return Int(min(max(periods + error + Self.margin, 0), Self.many))
  }

  /// The one that was drawn over more measurements.
  private var line: Line? {
    guard let former else { return current }
    if let current, current.length >= former.length { return current }
    return anew(former)
  }

  /// The line moved to where the last ones have it.
  private func anew(_ line: Line) -> Line {
    guard !isInDoubt, let place = Place(of: times, period: line.period),
      place.onTime.count >= Self.enoughForPhase
    else { return line }
    var line = line
    line.lateness = max(line.lateness, place.lateness)
    line.made = max(line.made, place.made(atLeast: line.lateness))
    return line
  }

  /// Of all that are remembered, or where the pace has changed meanwhile, of the last ones.
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
  /// The point lies on or above the line between the two others.
  fileprivate func isAbove(_ point: Int, _ before: Int, _ after: Int) -> Bool {
    (self[point] - self[before]) * Double(after - before) >= (self[after] - self[before])
      * Double(point - before)
  }
}
