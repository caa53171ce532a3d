/// Which columns of a text of RR intervals are what: by their names, and where there are none, by their
/// numbers.
struct RRColumns {
  /// So long hearts take for a beat, in milliseconds: 300 to 20 a minute.
  private static let beats = 200.0...3000
  /// Above, numbers are milliseconds; below, seconds. No heart waits for half a minute, or beats every 30 ms.
  static let leastMilliseconds = 30.0

  /// How many columns each line has.
  let count: Int
  let interval: Int
  /// `nil` where there are no times.
  private(set) var time: Int?
  /// Milliseconds in the intervals' unit, and seconds in that of the times.
  private(set) var scales = (interval: 1.0, time: 1.0)

  // MARK: - By their names

  /// - Parameter names: What stands above the numbers.
  /// - Throws: ``NumberColumns/Fault``.
  init(named names: [Substring], line: Int) throws {
    let kinds = names.map { Kind($0) }
    count = names.count
    let intervals = kinds.indices.filter { kinds[$0] == .interval }
    // One column may be called as one likes, so long as that does not say that it is another's.
    let chosen: Int? =
      intervals.count == 1 ? intervals[0] : names.count == 1 && kinds[0] == .other ? 0 : nil
    guard let chosen else {
      let shown = names.prefix(6).map { String($0).plain }.joined(separator: ", ")
      throw NumberColumns.Fault(
        line: line,
        what: intervals.isEmpty
          ? "none of its columns is called RR or the like (\(shown)): name the one with the intervals so"
          : "several of its columns are called RR or the like (\(shown)): leave one of them")
    }
    interval = chosen
    let times = kinds.indices.filter { kinds[$0] == .time }
    guard times.count <= 1 else {
      throw NumberColumns.Fault(line: line, what: "several of its columns are times: leave one of them")
    }
    time = times.first
  }

  private enum Kind {
    case interval, time, rate, other

    init(_ name: Substring) {
      let name = name.lowercased().replacing("r-r", with: "rr")
      let words = name.split { !$0.isLetter }
      if name.contains("time") || name.contains("elapsed") || words == ["t"] {
        self = .time
      } else if words.contains(where: {
        ["rr", "rri", "rrs", "ibi", "ibis", "nn", "nni", "rrms"].contains($0)
      })
        || name.contains("interval")
      {
        self = .interval
      } else if words.contains(where: { ["hr", "bpm", "pulse", "rate"].contains($0) }) {
        self = .rate
      } else {
        self = .other
      }
    }
  }

  // MARK: - By their numbers

  /// - Parameter columns: The numbers of each, from above.
  /// - Throws: ``NumberColumns/Fault``.
  init(of columns: [[Double]], line: Int) throws {
    count = columns.count
    guard count == 2 else {
      interval = 0
      return
    }
    // The time goes on by the interval, or by more where there is a gap.
    let fits = [(time: 0, interval: 1), (time: 1, interval: 0)].filter { order in
      Self.timeScale(columns[order.time], Self.milliseconds(columns[order.interval])) != nil
    }
    guard let fit = fits.first else {
      throw NumberColumns.Fault(
        line: line,
        what: "neither of the two columns is the time at which the other's intervals end: "
          + "name them, as Time;RR, or leave the intervals alone")
    }
    time = fit.time
    interval = fit.interval
  }

  // MARK: - Units

  /// Finds the units.
  /// - Throws: ``NumberColumns/Fault``.
  mutating func measure(_ intervals: [Double], _ times: [Double]?, line: Int) throws {
    let milliseconds = Self.milliseconds(intervals)
    let middle = Self.median(milliseconds)
    guard Self.beats.contains(middle) else {
      throw NumberColumns.Fault(
        line: line,
        what: "these are no RR intervals: in the middle they are \(middle) ms, "
          + "and hearts' are 200 to 3000 ms")
    }
    scales.interval = Self.isInSeconds(intervals) ? 1000 : 1
    guard let times else { return }
    guard let scale = Self.timeScale(times, milliseconds) else {
      throw NumberColumns.Fault(
        line: line,
        what: "the times are not those at which the intervals end, in seconds or milliseconds: "
          + "leave the intervals alone")
    }
    scales.time = scale
  }

  /// - Returns: Seconds in the times' unit; `nil` where they do not go on as the intervals do.
  private static func timeScale(_ times: [Double], _ milliseconds: [Double]) -> Double? {
    guard zip(times, times.dropFirst()).allSatisfy({ $0 <= $1 }) else { return nil }
    guard times.count > 1 else { return 1 }
    let steps = zip(times, times.dropFirst()).map { $1 - $0 }
    return [1, 1e-3, 1e-6, 1e-9].first { scale in
      // Where half of them fit, the others are gaps.
      let fitting = zip(steps, milliseconds.dropFirst()).count {
        abs($0 * scale - $1 / 1000) <= RRFile.tolerance
      }
      return fitting * 2 >= steps.count
    }
  }

  private static func milliseconds(_ intervals: [Double]) -> [Double] {
    isInSeconds(intervals) ? intervals.map { $0 * 1000 } : intervals
  }

  private static func isInSeconds(_ intervals: [Double]) -> Bool {
    !intervals.isEmpty && median(intervals) < leastMilliseconds
  }

  private static func median(_ numbers: [Double]) -> Double {
    numbers.isEmpty ? 0 : numbers.sorted()[numbers.count / 2]
  }
}
