import GRDB

/// Selects gaps in the measurements of monitors.
package struct MonitorGapFilter: Hashable, Sendable {
  /// The monitor; `nil` for all monitors.
  package var monitor: AddressRecord?
  /// Only gaps that end after this time, in microseconds since 1970; `nil` for all.
  package var from: Int64?
  /// Only gaps that begin before this time, in microseconds since 1970; `nil` for all.
  package var to: Int64?
  package var isOpen: Bool?
  /// Maximum number of gaps; the latest ones are returned. `nil` for all.
  package var limit: Int?

  package init() {}
}

extension SampleDatabase {
  /// Returns gaps, sorted by their start.
  package func gaps(_ filter: MonitorGapFilter) async throws -> [MonitorGapRecord] {
    try await read { database in
      let rows = try Row.fetchAll(
        database,
        sql: """
          SELECT address, kind, start, end, cause, lost FROM monitor_gap
          WHERE (?1 IS NULL OR (address = ?1 AND kind = ?2))
            AND (?3 IS NULL OR end IS NULL OR end > ?3) AND (?4 IS NULL OR start < ?4)
            AND (?5 IS NULL OR (end IS NULL) = ?5)
          ORDER BY start DESC, address DESC, kind DESC LIMIT ?6
          """,
        arguments: [
          filter.monitor?.text, filter.monitor?.kind, filter.from, filter.to, filter.isOpen,
          filter.limit ?? -1,
        ])
      return try rows.reversed().map(MonitorGapRecord.init)
    }
  }

  /// Returns the monitors that a gateway has tried to connect to for this store: those for which it has
  /// recorded a gap.
  package func followedMonitors() async throws -> Set<AddressRecord> {
    try await read { try Self.followedMonitors(in: $0) }
  }

  static func followedMonitors(in database: Database) throws -> Set<AddressRecord> {
    let rows = try Row.fetchAll(
      database, sql: "SELECT DISTINCT address, kind FROM monitor_gap WHERE recorded & 1 = 0")
    return try Set(
      rows.map { AddressRecord(text: try $0.decode(atIndex: 0), kind: try $0.decode(atIndex: 1)) })
  }

  /// Saves gaps, the status of monitors, and changes of the wall clock in one transaction.
  package func save(_ changes: MonitorChangesRecord) async throws {
    guard !changes.isEmpty else { return }
    try await writeInOwnTransaction { database in
      try damagedBlocks.retrying {
        try database.inTransaction {
          try save(changes, in: database)
          return .commit
        }
      }
    }
  }

  /// Inserts gaps, or updates stored ones. The stored end of a gap is not removed.
  ///
  /// A gap with equal start and end is a single lost measurement. If a gap with the same start is stored,
  /// that gap keeps its end and cause.
  func save(_ changes: MonitorChangesRecord, in database: Database) throws {
    let statement = try database.cachedStatement(
      sql: """
        INSERT INTO monitor_gap (address, kind, start, end, cause, lost, recorded) VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET
          recorded = recorded & 1 | CASE
            WHEN excluded."end" IS NULL OR excluded."end" = excluded.start THEN recorded & 2
            ELSE excluded.recorded & 2 END,
          "end" = CASE
            WHEN excluded."end" = excluded.start THEN "end"
            WHEN "end" = start THEN excluded."end"
            ELSE ifnull(excluded."end", "end") END,
          cause = iif(excluded."end" = excluded.start, cause, excluded.cause),
          lost = ifnull(excluded.lost, lost)
        """)
    for gap in changes.gaps {
      try statement.execute(
        arguments: [
          gap.monitor.text, gap.monitor.kind, gap.start, gap.end, gap.cause, gap.lost,
          // Bit 0 is set if the start is from a recording, bit 1 if the end is.
          !changes.isRecorded ? 0 : gap.end == nil ? 1 : 3,
        ])
    }
    for status in changes.statuses { try Self.update(status, in: database) }
    if let clock = changes.clock { try save(clock, in: database) }
    if let inbox = changes.inbox { try Self.save(inbox, in: database) }
  }
}

extension MonitorGapRecord {
  fileprivate init(_ row: Row) throws {
    self.init(
      monitor: AddressRecord(text: try row.decode(atIndex: 0), kind: try row.decode(atIndex: 1)),
      start: try row.decode(atIndex: 2), end: try row.decode(atIndex: 3), cause: try row.decode(atIndex: 4),
      lost: try row.decode(atIndex: 5))
  }
}
