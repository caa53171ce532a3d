import GRDB

/// Removes the hours of which samples change, in the transaction that changes them.
///
/// Neighbouring samples of a type are taken together: a batch of consecutive ones costs one statement for
/// each type.
struct SummaryInvalidation {
  /// By type, the first and the last moment at which figures may change.
  private var ranges: [Int64: ClosedRange<Int64>] = [:]

  /// Far enough for any time that the layer above stores, and near enough that sums do not overflow.
  private static let farthest = Int64.max / 4

  mutating func touch(_ type: Int64, start: Int64, end: Int64, in database: Database) throws {
    let range = Self.range(start: start, end: end)
    guard let known = ranges[type] else {
      ranges[type] = range
      return
    }
    let isNear =
      range.lowerBound <= known.upperBound + HourSummary.length
      && range.upperBound >= known.lowerBound - HourSummary.length
    if isNear {
      ranges[type] =
        min(known.lowerBound, range.lowerBound)...max(known.upperBound, range.upperBound)
    } else {
      try Self.forget(type, known, in: database)
      ranges[type] = range
    }
  }

  /// To be called before the transaction ends.
  mutating func flush(in database: Database) throws {
    for (type, range) in ranges { try Self.forget(type, range, in: database) }
    ranges = [:]
  }

  private static func forget(_ type: Int64, _ range: ClosedRange<Int64>, in database: Database) throws {
    try database.cachedStatement(sql: "DELETE FROM hour_summary WHERE type = ? AND start > ? AND start <= ?")
      .execute(arguments: [type, range.lowerBound - HourSummary.length, range.upperBound])
  }

  /// The time within which a sample makes a difference.
  static func range(start: Int64, end: Int64) -> ClosedRange<Int64> {
    let start = min(max(start, -farthest), farthest)
    let end = min(max(end, start), farthest)
    return (start - HourSummary.reach)...max(end, start + HourSummary.reach)
  }
}
