/// Identifies the columns of a text of RR intervals, by their names or, without a header, by their values.
struct RRColumns {
  /// Plausible RR intervals in milliseconds: 300 to 20 beats per minute.
  private static let beats = 200.0...3000
  /// Intervals from this value up are milliseconds, smaller ones are seconds. RR intervals are neither 30 s
  /// nor 30 ms long.
  static let leastMilliseconds = 30.0

  /// Number of columns per line.
  let count: Int
  let interval: Int
  /// Index of the time column; `nil` without times.
  private(set) var time: Int?
  /// Milliseconds per interval unit, and seconds per time unit.
  private(set) var scales = (interval: 1.0, time: 1.0)

  // MARK: - Columns with names

  /// Identifies the columns by their names.
  ///
  /// - Parameter names: The fields of the header line.
  /// - Throws: ``NumberColumns/ParseError`` if the names are ambiguous.
  init(named names: [Substring], line: Int) throws {
    let kinds = names.map { Kind($0) }
    count = names.count
    let intervals = kinds.indices.filter { kinds[$0] == .interval }
    // A single column may have any name that does not denote another quantity.
    let chosen: Int? =
      intervals.count == 1 ? intervals[0] : names.count == 1 && kinds[0] == .other ? 0 : nil
    guard let chosen else {
      let shown = names.prefix(6).map { String($0).plain }.joined(separator: ", ")
      throw NumberColumns.ParseError(
        line: line,
        what: intervals.isEmpty
          ? "no column is named RR or similar (\(shown)); rename the column with the intervals"
          : "several columns are named RR or similar (\(shown)); keep one of them")
    }
    interval = chosen
    let times = kinds.indices.filter { kinds[$0] == .time }
    guard times.count <= 1 else {
      throw NumberColumns.ParseError(line: line, what: "several columns are times; keep one of them")
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

  // MARK: - Columns without names

  /// Identifies the columns by their values.
  ///
  /// - Parameter columns: The numbers of each column.
  /// - Throws: ``NumberColumns/ParseError`` if the columns are ambiguous.
  init(of columns: [[Double]], line: Int) throws {
    count = columns.count
    guard count == 2 else {
      interval = 0
      return
    }
    // Times increase by the interval, or by more at a gap.
    let fits = [(time: 0, interval: 1), (time: 1, interval: 0)].filter { order in
      Self.timeScale(columns[order.time], Self.milliseconds(columns[order.interval])) != nil
    }
    guard let fit = fits.first else {
      throw NumberColumns.ParseError(
        line: line,
        what: "neither column has the times at which the other column's intervals end; "
          + "name the columns, as Time;RR, or keep only the intervals")
    }
    time = fit.time
    interval = fit.interval
  }

  // MARK: - Units

  /// Determines the units of intervals and times.
  ///
  /// - Throws: ``NumberColumns/ParseError`` if a unit cannot be determined.
  mutating func measure(_ intervals: [Double], _ times: [Double]?, line: Int) throws {
    let milliseconds = Self.milliseconds(intervals)
    let middle = Self.median(milliseconds)
    guard Self.beats.contains(middle) else {
      throw NumberColumns.ParseError(
        line: line,
        what: "these are not RR intervals: their median is \(middle) ms, "
          + "but heartbeats are 200 to 3000 ms apart")
    }
    scales.interval = Self.isInSeconds(intervals) ? 1000 : 1
    guard let times else { return }
    guard let scale = Self.timeScale(times, milliseconds) else {
      throw NumberColumns.ParseError(
        line: line,
        what: "the times are not the ends of the intervals in seconds or milliseconds; "
          + "keep only the intervals")
    }
    scales.time = scale
  }

  /// Returns the number of seconds per time unit; `nil` if the times do not match the intervals.
  private static func timeScale(_ times: [Double], _ milliseconds: [Double]) -> Double? {
    guard zip(times, times.dropFirst()).allSatisfy({ $0 <= $1 }) else { return nil }
    guard times.count > 1 else { return 1 }
    let steps = zip(times, times.dropFirst()).map { $1 - $0 }
    return [1, 1e-3, 1e-6, 1e-9].first { scale in
      // At least half of the time steps must match their interval. The others may be gaps.
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
