import GRDB

/// Applies a sample filter to the quantities of a series, as if each quantity were a sample.
///
/// Conditions on times are checked for each quantity, all others once for the series, in SQL.
struct QuantityFilter {
  /// A filter for samples that selects every series that may contain a matching quantity.
  let row: SampleFilter
  /// `untimed` contains the conditions that do not concern times. `bounds` contains conditions on the start
  /// and end of a series, which a series must meet if one of its quantities meets the conditions on times.
  private(set) var untimed: [SampleFilter] = []
  private(set) var bounds: [SampleFilter] = []
  /// Conditions on the series that are combined with time conditions by "or" or "not". SQL evaluates them,
  /// and the results are passed to `admits`.
  private(set) var columns: [SampleFilter] = []
  private var tests: [Test] = []

  private indirect enum Test {
    case time(SampleFilter)
    case column(Int)
    case all([Test])
    case any([Test])
    case not(Test)
  }

  init(_ filter: SampleFilter) {
    var rows: [SampleFilter] = []
    var timed: [SampleFilter] = []
    for part in filter.conjuncts {
      if !part.concernsTimes {
        rows.append(part)
        untimed.append(part)
      } else {
        timed.append(part)
        if let bound = part.boundOfSeries {
          rows.append(bound)
          bounds.append(bound)
        }
      }
    }
    row = .all(rows)
    for part in timed { tests.append(test(part)) }
  }

  /// Creates a filter that selects all quantities of those series whose samples match.
  init(rows filter: SampleFilter) {
    row = filter
  }

  /// An SQL condition on `series_place` that can use its index. It selects every series that `row` selects,
  /// and possibly more.
  var positionsOfSeries: SQLCondition {
    let parts = row.conjuncts
    let types = parts.compactMap { if case .type(let type) = $0 { type } else { nil } }
    guard let type = types.first else { return .always }
    var conditions = [
      SQLCondition(sql: "type = (SELECT id FROM object_type WHERE identifier = ?)", arguments: [type])
    ]
    for part in parts {
      switch part {
      case .startsBefore(let time): conditions.append(SQLCondition(sql: "start < ?", arguments: [time]))
      case .startsFrom(let time): conditions.append(SQLCondition(sql: "start >= ?", arguments: [time]))
      // `longest` is the longest duration of all samples of the type.
      case .endsFrom(let time):
        conditions.append(
          SQLCondition(
            sql: "start >= ? - (SELECT longest FROM object_type WHERE identifier = ?)",
            arguments: [time, type]))
      default: break
      }
    }
    return .all(conditions)
  }

  /// - Parameter results: The results of ``columns`` for the series.
  func admits(start: Int64, end: Int64, _ results: [Bool]) -> Bool {
    tests.allSatisfy { Self.holds($0, start, end, results) }
  }

  /// Returns whether all quantities with starts and ends in these ranges match; `false` if this is not known.
  func admitsAll(starts: ClosedRange<Int64>, endsUpTo end: Int64) -> Bool {
    tests.allSatisfy {
      switch $0 {
      case .time(.startsBefore(let time)): starts.upperBound < time
      case .time(.startsFrom(let time)), .time(.endsFrom(let time)): starts.lowerBound >= time
      case .time(.endsBefore(let time)): end < time
      default: false
      }
    }
  }

  private mutating func test(_ filter: SampleFilter) -> Test {
    guard filter.concernsTimes else {
      columns.append(filter)
      return .column(columns.count - 1)
    }
    switch filter {
    case .all(let parts): return .all(parts.map { test($0) })
    case .any(let parts): return .any(parts.map { test($0) })
    case .not(let part): return .not(test(part))
    default: return .time(filter)
    }
  }

  private static func holds(_ test: Test, _ start: Int64, _ end: Int64, _ results: [Bool]) -> Bool {
    switch test {
    case .time(.startsBefore(let time)): start < time
    case .time(.startsFrom(let time)): start >= time
    case .time(.endsBefore(let time)): end < time
    case .time(.endsFrom(let time)): end >= time
    case .time: false
    case .column(let index): results[index]
    case .all(let parts): parts.allSatisfy { holds($0, start, end, results) }
    case .any(let parts): parts.contains { holds($0, start, end, results) }
    case .not(let part): !holds(part, start, end, results)
    }
  }
}

extension SampleFilter {
  /// The parts of an `all` filter; any other filter is its only part.
  fileprivate var conjuncts: [SampleFilter] {
    guard case .all(let parts) = self else { return [self] }
    return parts.flatMap(\.conjuncts)
  }

  fileprivate var concernsTimes: Bool {
    switch self {
    case .startsBefore, .startsFrom, .endsBefore, .endsFrom: true
    case .all(let parts), .any(let parts): parts.contains(where: \.concernsTimes)
    case .not(let part): part.concernsTimes
    default: false
    }
  }

  /// The condition that a series must fulfill if one of its quantities fulfills this one. The times of
  /// quantities are within those of their series.
  fileprivate var boundOfSeries: SampleFilter? {
    switch self {
    case .startsBefore(let time), .endsBefore(let time): .startsBefore(time)
    case .startsFrom(let time), .endsFrom(let time): .endsFrom(time)
    default: nil
    }
  }
}
