package import Foundation
import GRDB

/// Whether a query returns the beats of heartbeat series, which may be large, or only their number.
package enum HeartbeatDetail: Sendable {
  case count
  case beats
}

extension SampleDatabase {
  /// Calls `body` with each matching sample, like `reduce(into:)`. Memory use does not depend on their
  /// number.
  ///
  /// It reads from one snapshot, on one reader connection. Other reads and writes can run at the same time.
  /// - Parameters:
  ///   - order: The sort keys. Samples with equal keys are in the order in which they were stored.
  ///   - limit: Maximum number of samples; `nil` for all.
  ///   - heartbeats: Whether to read the beats of heartbeat series.
  ///   - body: If it throws, reading ends and the error is thrown.
  package func reduce<Result: Sendable>(
    into initial: Result, _ filter: SampleFilter, order: [SampleOrder], limit: Int? = nil,
    heartbeats: HeartbeatDetail = .count, _ body: @Sendable (inout Result, SampleRecord) throws -> Void
  ) async throws -> Result {
    try await read { database in
      var result = initial
      let visible = try Visibility.of(admission, in: database)
      let filter = try resolved(filter, in: database)
      try forEach(filter, among: visible, order, limit, heartbeats, in: database) {
        try body(&result, $0)
      }
      return result
    }
  }

  /// Returns the matching samples.
  package func samples(
    _ filter: SampleFilter, order: [SampleOrder], limit: Int? = nil
  ) async throws -> [SampleRecord] {
    try await reduce(into: [], filter, order: order, limit: limit) { $0.append($1) }
  }

  /// Returns the UUIDs of the matching samples.
  package func uuids(
    _ filter: SampleFilter, order: [SampleOrder], limit: Int? = nil
  ) async throws -> [UUID] {
    try await read { database in
      let condition = try condition(of: filter, in: database)
      let found = try SampleTables(in: database, with: true).union(condition.arguments) {
        """
        SELECT uuid, start, ifnull(end, start) AS \(SampleOrder.endColumn), id FROM \($0.sql)
        WHERE \(condition.sql)
        """
      }
      return try UUID.fetchAll(
        database, sql: "\(found.sql) ORDER BY \(SampleOrder.sql(order)) LIMIT ?",
        arguments: found.arguments + [limit ?? -1])
    }
  }

  func forEach(
    _ filter: SampleFilter, among visible: Visibility?, _ order: [SampleOrder], _ limit: Int?,
    _ heartbeats: HeartbeatDetail = .count, in database: Database,
    _ body: (SampleRecord) throws -> Void
  ) throws {
    var tables = try SampleTables(in: database, with: true)
    var packed =
      tables.haveBlocks ? try PackedRecords(filter, among: visible, order, in: database) : nil
    if packed != nil { tables = tables.withoutBlocks }
    let condition = filter.condition(among: visible)
    let found = tables.union(condition.arguments) {
      """
      \(Self.columns(heartbeats, of: $0)), ifnull(end, start) AS \(SampleOrder.endColumn)
      FROM \($0.sql) WHERE \(condition.sql)
      """
    }
    let rows = try Row.fetchCursor(
      database, sql: "\(found.sql) ORDER BY \(SampleOrder.sql(order)) LIMIT ?",
      arguments: found.arguments + [limit ?? -1])
    var cache = ReadCache(database, parts: visible?.parts, marking: interpretation.markingKey)
    var left = limit.flatMap { $0 < 0 ? nil : $0 } ?? .max
    while left > 0, let row = try rows.next() {
      let record = try Self.record(row, &cache)
      let position = SeriesMerge.Position(start: record.start, sample: try row.decode(atIndex: 12))
      try packed?.forEach(before: position, &left, &cache, body)
      guard left > 0 else { return }
      if DamagedBlocks.skipped?.recordIfDamaged(record) == true { continue }
      try body(record)
      left -= 1
    }
    try packed?.forEach(before: nil, &left, &cache, body)
  }

  /// Calls `body` with the samples that have these IDs, in the given order.
  func forEach(
    _ ids: [Int64], among visible: Visibility?, in database: Database,
    _ body: (Int64, SampleRecord) throws -> Void
  ) throws {
    let statement = try database.cachedStatement(
      sql: "\(Self.columns(.count)) FROM sample WHERE id = ?")
    var packed = try SampleTables(in: database).haveBlocks ? PackedRowsByChange(ids, in: database) : nil
    var cache = ReadCache(database, parts: visible?.parts, marking: interpretation.markingKey)
    for id in ids {
      if let row = try Row.fetchOne(statement, arguments: [id]) ?? packed?.row(id) {
        try body(id, Self.record(row, &cache))
      }
    }
  }

  static func columns(_ heartbeats: HeartbeatDetail, of table: SampleTables.Table = .rows) -> String {
    let common = "SELECT uuid, type, start, end, provenance, metadata, value, unit"
    switch table {
    // Samples in compressed segments are always simple quantities.
    case .blocks: return "\(common), NULL, NULL, NULL, NULL, id"
    case .openSeries:
      return "\(common), count, \(heartbeats == .beats ? "beats" : "NULL"), NULL, NULL, id"
    case .rows: break
    }
    return """
      \(common),
        CASE WHEN unit IS NULL THEN (SELECT count FROM heartbeat_series WHERE sample = sample.id)
          ELSE (SELECT count FROM quantity_series WHERE sample = sample.id) END,
        CASE WHEN unit IS NULL AND \(heartbeats == .beats)
          THEN (SELECT beats FROM heartbeat_series WHERE sample = sample.id) END,
        CASE WHEN unit IS NULL AND value IS NULL
          THEN (SELECT archive FROM archived_sample WHERE sample = sample.id) END,
        CASE WHEN unit IS NULL AND value IS NULL
          THEN (SELECT count FROM location_series WHERE sample = sample.id) END, id
      """
  }

  static func record(_ row: Row, _ cache: inout ReadCache) throws -> SampleRecord {
    let start: Int64 = try row.decode(atIndex: 2)
    let end: Int64? = try row.decode(atIndex: 3)
    let metadata: Int64? = try row.decode(atIndex: 5)
    let content: SampleRecord.Content =
      if let unit = try row.decode(atIndex: 7) as Int64? {
        if row.hasNull(atIndex: 8) {
          .quantity(value: try row.decode(atIndex: 6), unit: try cache.unit(unit))
        } else {
          .quantitySeries(
            try series(
              of: row.decode(atIndex: 12), value: row.decode(atIndex: 6), unit: cache.unit(unit),
              in: cache.database))
        }
      } else if let value = try row.decode(atIndex: 6) as Double? {
        .category(try category(value))
      } else if let archive = try row.decode(atIndex: 10) as Data? {
        try content(of: row.decode(atIndex: 12), Array(archive), &cache)
      } else if let count = try row.decode(atIndex: 8) as Int? {
        .heartbeatSeries(count: count, beats: (try row.decode(atIndex: 9) as Data?).map(Array.init))
      } else if let count = try row.decode(atIndex: 11) as Int? {
        .locationSeries(count: count, locations: nil)
      } else {
        .correlation(try members(of: row.decode(atIndex: 12), &cache))
      }
    return SampleRecord(
      uuid: try row.decode(atIndex: 0), type: try cache.type(row.decode(atIndex: 1)), start: start,
      end: end ?? start,
      provenance: try cache.provenance(row.decode(atIndex: 4)),
      metadata: try metadata.map { try cache.metadata($0) },
      content: content)
  }

  private static func category(_ value: Double) throws -> Int {
    guard let value = Int(exactly: value) else { throw StorageError.damagedRow }
    return value
  }

  /// - Throws: `StorageError.damagedRow` for a sample without content in a container. It would be read as a
  ///   correlation, and could lead to endless recursion.
  private static func members(of container: Int64, _ cache: inout ReadCache) throws -> [SampleRecord] {
    guard !cache.isWithinContainer else { throw StorageError.damagedRow }
    cache.isWithinContainer = true
    defer { cache.isWithinContainer = false }
    let statement = try cache.database.cachedStatement(
      sql: """
        \(columns(.count))
        FROM sample WHERE id IN (SELECT member FROM membership WHERE container = ?) AND \(cache.parts.sql)
        ORDER BY id
        """)
    return try Row.fetchAll(statement, arguments: [container] + cache.parts.arguments).map {
      try record($0, &cache)
    }
  }
}

// MARK: - Sources

extension SampleDatabase {
  /// Returns the sources of the matching samples, with their latest names.
  package func sources(_ filter: SampleFilter) async throws -> Set<SourceRecord> {
    try await read { database in
      let condition = try condition(of: filter, in: database)
      let used = try SampleTables(in: database, with: true).union(condition.arguments) { table in
        switch table {
        case .rows, .openSeries: "SELECT DISTINCT provenance AS id FROM \(table.sql) WHERE \(condition.sql)"
        // Stop at the first match of each provenance, because a year can have thirty million samples.
        case .blocks:
          """
          SELECT id FROM (SELECT id FROM provenance) AS known
          WHERE EXISTS (
            SELECT 1 FROM \(table.sql) WHERE sample.provenance = known.id AND (\(condition.sql)))
          """
        }
      }
      let rows = try Row.fetchCursor(
        database,
        sql: """
          SELECT DISTINCT source.bundle_identifier, source.name
          FROM (\(used.sql)) AS used
          JOIN provenance ON provenance.id = used.id
          JOIN source_revision ON source_revision.id = provenance.source_revision
          JOIN source ON source.id = source_revision.source
          """,
        arguments: used.arguments)
      var sources: Set<SourceRecord> = []
      while let row = try rows.next() {
        sources.insert(
          try SourceRecord(bundleIdentifier: row.decode(atIndex: 0), name: row.decode(atIndex: 1)))
      }
      return sources
    }
  }
}
