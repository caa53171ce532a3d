import GRDB

/// Deletes the summaries of hours whose samples change, in the transaction that changes them.
///
/// The times of samples are combined into one range per type, so that saving consecutive samples needs only
/// one statement per type.
struct SummaryInvalidation {
  /// The time range in which statistics change, by type.
  private var ranges: [Int64: ClosedRange<Int64>] = [:]

  /// A time beyond all valid ones. Sums of such times do not overflow.
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

  /// Deletes the summaries of the hours whose samples have changed. Call it before the transaction ends.
  mutating func flush(in database: Database) throws {
    for (type, range) in ranges { try Self.forget(type, range, in: database) }
    ranges = [:]
  }

  private static func forget(_ type: Int64, _ range: ClosedRange<Int64>, in database: Database) throws {
    try database.cachedStatement(sql: "DELETE FROM hour_summary WHERE type = ? AND start > ? AND start <= ?")
      .execute(arguments: [type, range.lowerBound - HourSummary.length, range.upperBound])
  }

  /// Returns the time range in which a sample affects statistics.
  static func range(start: Int64, end: Int64) -> ClosedRange<Int64> {
    let start = min(max(start, -farthest), farthest)
    let end = min(max(end, start), farthest)
    return (start - HourSummary.reach)...max(end, start + HourSummary.reach)
  }
}
