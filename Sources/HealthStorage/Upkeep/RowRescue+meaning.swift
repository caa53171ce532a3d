import Foundation
import GRDB

/// Deletes rows that can be read but have invalid content.
extension RowRescue {
  /// Deletes samples whose beats or values cannot be decoded, and rows that contradict other rows.
  func dropContents(in database: Database, _ recovered: inout StoreUpkeep.Recovered) throws {
    try dropUndecoded(in: database, &recovered)
    try rescueBlocks(in: database, &recovered)
    try dropUndecodedMetadata(in: database, &recovered)
    try restateExtremes(in: database)
    // Deleting content leaves samples without content, and deleting samples leaves content without samples.
    // Repeat until nothing changes.
    repeat {
      try dropOrphans(in: database, &recovered)
    } while try dropMeaningless(in: database, &recovered) + dropEmptied(in: database, &recovered) > 0
    try database.execute(
      sql: """
        DELETE FROM series_place WHERE NOT EXISTS (SELECT 1 FROM sample
          WHERE sample.id = series_place.sample AND sample.type = series_place.type
            AND sample.start = series_place.start);
        INSERT OR IGNORE INTO series_place (type, start, sample)
          SELECT type, start, id FROM sample WHERE id IN (SELECT sample FROM quantity_series);
        DELETE FROM deleted_object WHERE id IN (SELECT id FROM sample);
        UPDATE object_type SET longest = max(longest, ifnull(
          (SELECT max(end - start) FROM sample WHERE type = object_type.id AND end IS NOT NULL), 0));
        \(Schema.recount)
        """)
  }

  private func dropUndecoded(in database: Database, _ recovered: inout StoreUpkeep.Recovered) throws {
    var lost: Set<Int64> = []
    func decode(_ sql: String, _ isSound: (Row) -> Bool) throws {
      let rows = try Row.fetchCursor(database, sql: sql)
      while let row = try rows.next() {
        if !isSound(row) { lost.insert(row[0]) }
      }
    }
    try decode("SELECT sample, beats, count FROM heartbeat_series") {
      HeartbeatCodec.decode(Self.bytes($0))?.count == $0[2] as Int?
    }
    try decode(Self.quantities) { Self.quantities($0)?.count == $0[2] as Int? }
    try decode("SELECT sample, locations, count FROM location_series") {
      LocationCodec.decode(Self.bytes($0))?.count == $0[2] as Int?
    }
    try decode("SELECT sample, voltages FROM voltage_series") {
      VoltageCodec.decode(Self.bytes($0)) != nil
    }
    let delete = try database.makeStatement(sql: "DELETE FROM sample WHERE id = ?")
    for sample in lost { try delete.execute(arguments: [sample]) }
    recovered.drop(lost.count, from: "sample")
    lost = []
    try decode("SELECT id, beats, count FROM open_series WHERE beats IS NOT NULL") {
      HeartbeatCodec.decode(Self.bytes($0))?.count == $0[2] as Int?
    }
    let remove = try database.makeStatement(sql: "DELETE FROM open_series WHERE id = ?")
    for series in lost { try remove.execute(arguments: [series]) }
    recovered.drop(lost.count, from: "open_series")
  }

  private func dropUndecodedMetadata(
    in database: Database, _ recovered: inout StoreUpkeep.Recovered
  ) throws {
    let rows = try Row.fetchCursor(database, sql: "SELECT id, encoded FROM metadata")
    var flawed: [Int64] = []
    while let row = try rows.next() {
      if MetadataCodec.decode(Self.bytes(row)) == nil { flawed.append(row[0]) }
    }
    for id in flawed {
      // Samples and attachments are still useful without their metadata.
      for table in ["sample", "block", "attachment", "open_series"] {
        try database.execute(sql: "UPDATE \(table) SET metadata = NULL WHERE metadata = ?", arguments: [id])
      }
      try database.execute(sql: "DELETE FROM metadata WHERE id = ?", arguments: [id])
    }
    recovered.drop(flawed.count, from: "metadata")
  }

  /// Computes the stored minimum, maximum and latest value of a series again if they do not match its
  /// quantities. Either may be damaged, but more likely the stored value.
  private func restateExtremes(in database: Database) throws {
    let update = try database.makeStatement(
      sql: """
        UPDATE quantity_series SET minimum = ?, maximum = ?, latest = ?, latest_start = ?, latest_end = ?
        WHERE sample = ?
        """)
    var restated: [(sample: Int64, SeriesExtremes)] = []
    let rows = try Row.fetchCursor(database, sql: Self.quantities)
    while let row = try rows.next() {
      let kept = SeriesExtremes(
        minimum: row[4], maximum: row[5], latest: SeriesQuantity(start: row[7], end: row[8], value: row[6]))
      let found = Self.quantities(row).flatMap { SeriesExtremes(of: $0) }
      if let found, found != kept { restated.append((row[0], found)) }
    }
    for (sample, extremes) in restated {
      let latest = extremes.latest
      try update.execute(arguments: [
        extremes.minimum, extremes.maximum, latest.value, latest.start, latest.end, sample,
      ])
    }
  }

  /// Deletes the rows that contradict other rows (``MeaninglessRows``).
  /// - Returns: The number of deleted rows.
  private func dropMeaningless(
    in database: Database, _ recovered: inout StoreUpkeep.Recovered
  ) throws -> Int {
    var total = 0
    for rows in MeaninglessRows.all(haveBlocks: true) {
      try database.execute(sql: "DELETE FROM \(rows.table) WHERE \(rows.condition)")
      recovered.drop(database.changesCount, from: rows.table)
      total += database.changesCount
    }
    return total
  }

  /// Deletes samples without content if rows with content were lost. Otherwise the samples never had content.
  /// - Returns: The number of deleted samples.
  private func dropEmptied(in database: Database, _ recovered: inout StoreUpkeep.Recovered) throws -> Int {
    func isWhole(_ tables: String...) -> Bool {
      tables.allSatisfy { !recovered.damaged.contains($0) && recovered.dropped[$0] ?? 0 == 0 }
    }
    guard !isWhole("heartbeat_series", "location_series", "archived_sample", "membership") else { return 0 }
    // A correlation may have been empty before, if its samples were deleted.
    let mayBeEmpty = """
      SELECT type FROM sample WHERE value IS NULL AND id IN (SELECT container FROM membership)
        AND id NOT IN (SELECT sample FROM archived_sample)
      """
    let exception = isWhole("membership") ? "AND type NOT IN (\(mayBeEmpty))" : ""
    try database.execute(sql: "DELETE FROM sample WHERE \(MeaninglessRows.holdsNothing) \(exception)")
    let count = database.changesCount
    recovered.drop(count, from: "sample")
    return count
  }

  // MARK: - Decoding rows of the new store, whose columns have the declared types

  private static let quantities = """
    SELECT sample, quantities, count, ifnull((SELECT start FROM sample WHERE id = sample), 0),
      minimum, maximum, latest, latest_start, latest_end FROM quantity_series
    """

  private static func quantities(_ row: Row) -> [SeriesQuantity]? {
    QuantitySeriesCodec.decode(bytes(row), from: row[3])
  }

  private static func bytes(_ row: Row) -> [UInt8] { Array((row[1] as Data?) ?? Data()) }
}

extension StoreUpkeep.Recovered {
  /// Counts rows as deleted that were previously counted as kept.
  mutating func drop(_ count: Int, from table: String) {
    dropped[table, default: 0] += count
    kept[table, default: 0] -= count
  }
}
