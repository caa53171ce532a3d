/// How often a monitor measures, by when its last measurements were received: at most so many can have been
/// measured by a given time.
///
/// A monitor measures at regular times, and what it measures comes at once or late, never early. So where the
/// times of receipt are drawn over the measurements' numbers, the punctual ones lie on a line and the late
/// ones above it: the line is the edge of the lower hull on which most of them lie.
struct MeasuringPace {
  /// Since when, and how often: the line.
  private struct Line {
    var time: Double
    var number: Int
    var period: Double

    func time(of number: Int) -> Double { time + Double(number - self.number) * period }
  }

  /// So many are remembered.
  private static let capacity = 16
  /// So many have to lie on the line.
  private static let enough = 4
  /// A measurement so late, in periods, is still punctual.
  private static let punctual = 0.2
  /// What is allowed for the line's error, in periods.
  private static let margin = 0.5

  private var times: [BootTime] = []

  mutating func note(_ time: BootTime) {
    times.append(time)
    if times.count > Self.capacity { times.removeFirst() }
  }

  /// Between two measurements; `nil` where the last ones lie on no line.
  var period: Duration? { line.map { .seconds($0.period) } }

  /// How many measurements there can be at most after the last one, up to `time`; `nil` where the last ones
  /// lie on no line.
  func most(until time: BootTime) -> Int? {
    guard let line, let first = times.first else { return nil }
    let most = (Self.seconds(time - first) - line.time(of: times.count - 1)) / line.period + Self.margin
    // Further on the line's error is as great as what it says.
    return most < Double(Self.capacity) ? Int(max(most, 0)) : nil
  }

  /// How many copies there may be of each measurement: the divisors of all lengths with which the runs are no
  /// more measurements than there can be. Empty where that cannot be said.
  func possibleCopies(of runs: [[DuplicateFilter.Value]], dividing common: Int) -> [Int] {
    guard let last = runs.last?.last, let most = most(until: last.receipt.boot), most > 0 else { return [] }
    let count = runs.map(\.count).reduce(0, +)
    return (1...max(common, 1)).filter { common.isMultiple(of: $0) && count / $0 <= most }
  }

  private var line: Line? {
    guard times.count >= Self.enough else { return nil }
    let points = times.map { Self.seconds($0 - times[0]) }
    var hull: [Int] = []
    for number in points.indices {
      while hull.count > 1, points.isAbove(hull[hull.count - 1], hull[hull.count - 2], number) {
        hull.removeLast()
      }
      hull.append(number)
    }
    return zip(hull, hull.dropFirst()).compactMap { start, end -> (line: Line, count: Int)? in
      let period = (points[end] - points[start]) / Double(end - start)
      guard period > 0 else { return nil }
      let line = Line(time: points[start], number: start, period: period)
      return (line, points.indices.count { points[$0] - line.time(of: $0) <= Self.punctual * period })
    }.filter { $0.count >= Self.enough }.max { $0.count < $1.count }?.line
  }

  private static func seconds(_ duration: Duration) -> Double { duration / .seconds(1) }
}

extension [Double] {
  /// The point lies on or above the line between the two others.
  fileprivate func isAbove(_ point: Int, _ before: Int, _ after: Int) -> Bool {
    (self[point] - self[before]) * Double(after - before) >= (self[after] - self[before])
      * Double(point - before)
  }
}

func greatestCommonDivisor(_ first: Int, _ second: Int) -> Int {
  var (divisor, rest) = (first, second)
  while rest != 0 { (divisor, rest) = (rest, divisor % rest) }
  return divisor
}
