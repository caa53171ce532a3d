import Foundation
import GRDB

/// Finds the rows whose UUIDs contain a time in a given hour. A compressed segment of this hour may contain
/// copies of these samples.
enum HourIdentities {
  /// - Parameter hour: The start of the hour, in microseconds since 1970.
  /// - Throws: `DatabaseError`.
  static func ofRows(_ hour: Int64, in database: Database) throws -> Set<UUID> {
    guard hour >= 0, hour < .max / 2 else { return [] }
    func bound(_ time: Int64, _ rest: (high: UInt64, low: UInt64)) -> UUID {
      UUID(words: (UInt64(time / 1000) << 16 | rest.high, rest.low))
    }
    let rows = try Row.fetchCursor(
      database.cachedStatement(sql: "SELECT uuid FROM sample WHERE uuid BETWEEN ? AND ?"),
      arguments: [bound(hour, (0, 0)), bound(hour + HourSummary.length - 1, (0xFFFF, .max))])
    var uuids: Set<UUID> = []
    // Skip damaged values. A value that is not a UUID cannot be in a compressed segment.
    while let row = try rows.next() {
      if let uuid = try? row.decode(UUID.self, atIndex: 0) { uuids.insert(uuid) }
    }
    return uuids
  }
}
