import Foundation
import GRDB

/// Deduplicates a monitor's quantities: determines which of them are not stored yet. Use it only inside the
/// database access in which it was created.
struct MeasuredFreshness {
  private let database: Database
  private let type: Int64
  /// No stored sample of the type ends after this time.
  private let latest: Int64

  init(ofType type: Int64, latestEnd latest: Int64, in database: Database) {
    self.database = database
    self.type = type
    self.latest = latest
  }

  /// - Parameter quantities: At least one quantity. If one occurs twice, only its first index is returned.
  /// - Returns: The indexes of the quantities that are not stored; `nil` means all of them.
  func indexes(
    _ quantities: MeasuredQuantities, _ span: MeasuredSpan, _ stored: inout StoredIdentities
  ) throws -> [Int]? {
    // Usually nothing has to be looked up: new measurements are later than all stored samples, and most
    // recordings are from times without stored samples.
    let mayBeStored = try span.ends.lowerBound <= latest && holdsAny(span)
    guard mayBeStored || !quantities.isAscending else { return nil }
    var monitor = MeasuredIdentity(monitor: quantities.kind.monitor)
    var seen: Set<UUID> = []
    var fresh: [Int] = []
    for index in quantities.starts.indices {
      let uuid = quantities.uuid(at: index, &monitor)
      guard seen.insert(uuid).inserted else { continue }
      if mayBeStored {
        if try stored.contain(uuid) { continue }
        if let earlier = quantities.earlier[index], try stored.contain(earlier) { continue }
      }
      fresh.append(index)
    }
    return fresh.count == quantities.count ? nil : fresh
  }

  /// Returns whether any sample of the type has times at which one of the quantities may already be stored.
  /// Reads only indexes.
  private func holdsAny(_ span: MeasuredSpan) throws -> Bool {
    // A quantity with a duration may already be stored with a different start. So also search samples that
    // start earlier but may end at the same time.
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

  /// Returns the earliest possible start of a sample that ends at `end` or later.
  private func leastStart(endingFrom end: Int64) throws -> Int64 {
    let longest = try Int64.fetchOne(
      database.cachedStatement(sql: "SELECT longest FROM object_type WHERE id = ?"), arguments: [type])
    let (start, overflow) = end.subtractingReportingOverflow(longest ?? 0)
    return overflow ? .min : start
  }
}
