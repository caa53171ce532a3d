/// How often a monitor measures, by when its last measurements were received: at most so many can have been
/// measured by a given time.
///
/// A monitor measures at regular times, and what it measures comes at once or late, never early. So where the
/// times of receipt are drawn over the measurements' numbers, the punctual ones lie on a line and the late
/// ones above it: the line is the edge of the lower hull on which most of them lie. Where it is not known how
/// many measurements came, there are no numbers to draw over: the line of those before stays.
struct MeasuringPace {
  private struct Line {
    /// When the last measurement was made, at the latest, in seconds on the boot clock.
    var last: Double
    var period: Double
  }

  /// So many are remembered.
  private static let capacity = 32
  /// So many have to lie on the line. Of fewer, a queue that is worked off has as many by chance.
  private static let enough = 6
  /// So many periods on, the line's error is as great as what it says.
  private static let furthest = 16.0
  /// A measurement so late, in periods, is still punctual.
  private static let punctual = 0.2
  /// What is allowed for the line's error, in periods.
  private static let margin = 0.5

  /// When measurements in a row were received.
  private var times: [BootTime] = []
  /// Of those before.
  private var former: Line?
  /// How many measurements came after the last one is not known.
  private var isInDoubt = false
  /// The length of the last run that was in doubt.
  private var doubtful: Int?

  mutating func note(_ time: BootTime) {
    if isInDoubt {
      isInDoubt = false
      times.removeAll()
    }
    if let former { self.former?.last += former.period }
    times.append(time)
    if times.count > Self.capacity { times.removeFirst() }
  }

  /// Of a run of so many equal values, all after the first may be measurements, or copies. Where the runs
  /// stay equally long, what is measured by their first ones is as regular.
  mutating func noteDoubt(inRunOf count: Int) {
    guard count != doubtful else { return }
    doubtful = count
    guard !isInDoubt else { return }
    isInDoubt = true
    former = line
  }

  /// Between two measurements; `nil` where the last ones lie on no line.
  var period: Duration? { line.map { .seconds($0.period) } }

  /// How many measurements there can be at most after the last one, up to `time`; `nil` where the last ones
  /// lie on no line.
  func most(until time: BootTime) -> Int? {
    guard let line else { return nil }
    let most = (Self.seconds(time) - line.last) / line.period + Self.margin
    return most < Self.furthest ? Int(max(most, 0)) : nil
  }

  /// How many copies there may be of each measurement: the divisors of what divides the lengths of all whole
  /// runs with which the runs are no more measurements than there can be. Empty where that cannot be said.
  func possibleCopies(of runs: [DuplicateFilter.Run], dividing common: Int) -> [Int] {
    guard common > 0, let last = runs.last?.values.last, let most = most(until: last.receipt.boot), most > 0
    else { return [] }
    return (1...common).filter { divisor in
      common.isMultiple(of: divisor)
        && runs.map { $0.measurements(ofEach: divisor) }.reduce(0, +) <= most
    }
  }

  private var line: Line? { current ?? former }

  private var current: Line? {
    guard times.count >= Self.enough else { return nil }
    let points = times.map(Self.seconds)
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
      func time(of number: Int) -> Double { points[start] + Double(number - start) * period }
      let count = points.indices.count { points[$0] - time(of: $0) <= Self.punctual * period }
      return (Line(last: time(of: points.count - 1), period: period), count)
    }.filter { $0.count >= Self.enough }.max { $0.count < $1.count }?.line
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

func greatestCommonDivisor(_ first: Int, _ second: Int) -> Int {
  var (divisor, rest) = (first, second)
  while rest != 0 { (divisor, rest) = (rest, divisor % rest) }
  return divisor
}
