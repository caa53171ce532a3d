import Foundation
import GRDB

/// Finds out which of the quantities that a monitor measured are not stored yet. Valid only within the access
/// that it was made in.
struct MeasuredFreshness {
  private let database: Database
  private let type: Int64
  /// No stored sample of the type ends later.
  private let latest: Int64

  init(ofType type: Int64, latestEnd latest: Int64, in database: Database) {
    self.database = database
    self.type = type
    self.latest = latest
  }

  /// - Parameter quantities: At least one. One that occurs twice counts once.
  /// - Returns: The indexes of those that are not stored, or nil for all.
  func places(
    _ quantities: MeasuredQuantities, _ span: MeasuredSpan, _ stored: inout StoredIdentities
  ) throws -> [Int]? {
    // New measurements are later than all stored ones, and a recording is mostly of a time without samples.
    let mayBeStored = try span.ends.lowerBound <= latest && holdsAny(span)
    guard mayBeStored || !quantities.isAscending else { return nil }
    var monitor = MeasuredIdentity(monitor: quantities.kind.monitor)
    var seen: Set<UUID> = []
    var fresh: [Int] = []
    for place in quantities.starts.indices {
      let uuid = quantities.uuid(at: place, &monitor)
      guard seen.insert(uuid).inserted else { continue }
      if mayBeStored {
        if try stored.contain(uuid) { continue }
        if let earlier = quantities.earlier[place], try stored.contain(earlier) { continue }
      }
      fresh.append(place)
    }
    return fresh.count == quantities.count ? nil : fresh
  }

  /// Whether the indexes have any sample of the type where one of a span could be stored already.
  private func holdsAny(_ span: MeasuredSpan) throws -> Bool {
    // A quantity over a time may be stored with another start.
    let from = try span.longest == 0 ? span.starts.lowerBound : leastStart(endingFrom: span.ends.lowerBound)
    return try Bool.fetchOne(
      database.cachedStatement(
        sql: """
          SELECT EXISTS (SELECT 1 FROM sample WHERE type = ?1 AND start BETWEEN ?2 AND ?3)
            OR EXISTS (SELECT 1 FROM block INDEXED BY block_start
              WHERE start BETWEEN ?4 AND ?3 AND end >= ?2 AND type = ?1)
          """),
      arguments: [type, from, span.ends.upperBound, HourSummary.start(ofHourOf: from)]) ?? false
  }

  /// Returns the earliest possible start of a sample that ends at a time or later.
  private func leastStart(endingFrom end: Int64) throws -> Int64 {
    let longest = try Int64.fetchOne(
      database.cachedStatement(sql: "SELECT longest FROM object_type WHERE id = ?"), arguments: [type])
    let (start, overflow) = end.subtractingReportingOverflow(longest ?? 0)
    return overflow ? .min : start
  }
}
