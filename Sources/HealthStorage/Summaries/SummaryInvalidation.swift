import GRDB

/// Removes the hours of which samples change, in the transaction that changes them.
///
/// Neighbouring samples are taken together: a batch of consecutive ones costs one statement.
struct SummaryInvalidation {
  private var type: Int64?
  /// The first and the last moment at which figures may change.
  private var lower: Int64 = 0
  private var upper: Int64 = 0

  /// Far enough for any time that the layer above stores, and near enough that sums do not overflow.
  private static let farthest = Int64.max / 4

  mutating func touch(_ type: Int64, start: Int64, end: Int64, in database: Database) throws {
    let range = Self.range(start: start, end: end)
    let isNear =
      range.lowerBound <= upper + HourSummary.length && range.upperBound >= lower - HourSummary.length
    if self.type == type, isNear {
      lower = min(lower, range.lowerBound)
      upper = max(upper, range.upperBound)
    } else {
      try flush(in: database)
      self.type = type
      lower = range.lowerBound
      upper = range.upperBound
    }
  }

  /// To be called before the transaction ends.
  mutating func flush(in database: Database) throws {
    guard let type else { return }
    self.type = nil
    try database.cachedStatement(sql: "DELETE FROM hour_summary WHERE type = ? AND start > ? AND start <= ?")
      .execute(arguments: [type, lower - HourSummary.length, upper])
  }

  /// When a sample's presence makes a difference.
  static func range(start: Int64, end: Int64) -> ClosedRange<Int64> {
    let start = min(max(start, -farthest), farthest)
    let end = min(max(end, start), farthest)
    return (start - HourSummary.reach)...max(end, start + HourSummary.reach)
  }
}
