import Foundation
import GRDB

extension SampleDatabase {
  /// The metadata key for the number of seconds by which the wall clock was ahead when a sample was measured;
  /// negative if it was behind.
  package static let clockAheadKey = "org.hrgate.clock-ahead"
  /// A GLOB pattern for the bundle identifiers of monitors.
  private static let monitorSources = "org.hrgate.monitor.*"

  /// Returns the stored settings of the wall clock, oldest first.
  package func clockSettings() async throws -> [ClockSettingRecord] {
    try await read { database in
      try Row.fetchAll(database, sql: "SELECT * FROM clock_setting ORDER BY id").map(ClockSettingRecord.init)
    }
  }

  /// Marks samples that were measured while the wall clock was wrong, and corrects the times of gaps and
  /// monitors.
  ///
  /// Samples are marked in their metadata and keep their times. Anchored queries do not report them again,
  /// but sync sends them to destinations again. Gaps and monitors get corrected times, because a gap in the
  /// future would soon contain measurements.
  func save(_ changes: ClockChangesRecord, in database: Database) throws {
    for correction in changes.corrections {
      try unpackBlocks(of: correction, in: database)
      try Self.mark(correction, in: database)
      try Self.move(correction, in: database)
    }
    let last = try Self.lastChange(database)
    for setting in changes.settings {
      try database.execute(
        sql: """
          INSERT INTO clock_setting (id, boot, origin, start, run, "end", ahead, at_least, after_sample)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
          ON CONFLICT DO UPDATE SET boot = excluded.boot, origin = excluded.origin, run = excluded.run,
            "end" = excluded."end", ahead = excluded.ahead, at_least = excluded.at_least
          """,
        arguments: [
          setting.id, setting.boot, setting.origin, setting.start, setting.run, setting.end, setting.ahead,
          setting.isAtLeast, last,
        ])
    }
    for id in changes.forgotten {
      try database.execute(sql: "DELETE FROM clock_setting WHERE id = ?", arguments: [id])
    }
    try Self.forgetRecorded(in: database)
  }

  // MARK: - Samples

  /// Maximum number of rows that one query reads while samples are being marked.
  private static let page = 10_000

  /// The samples to which a correction applies.
  private struct Corrected {
    /// The samples' change log positions are after `after`, up to and including `last`.
    var after: Int64
    var last: Int64
    /// The period in which the setting was valid, according to the wrong clock. The samples were stored with
    /// times of this clock.
    var times: ClosedRange<Int64>
  }

  /// Returns the samples to which a correction applies; `nil` if the corrected setting is not stored.
  private static func corrected(
    by correction: ClockCorrectionRecord, in database: Database
  ) throws -> Corrected? {
    let row = try Row.fetchOne(
      database,
      sql: """
        SELECT start, after_sample, (SELECT min(after_sample) FROM clock_setting WHERE id > ?1)
        FROM clock_setting WHERE id = ?1
        """, arguments: [correction.setting])
    guard let row else { return nil }
    let start: Int64 = try row.decode(atIndex: 0)
    let length = correction.times.upperBound - correction.times.lowerBound
    return Corrected(
      after: try row.decode(atIndex: 1), last: try row.decode(atIndex: 2) ?? .max,
      times: start...max(start, start + length))
  }

  /// Turns compressed segments that contain these samples into rows, so that they can be marked. Damaged
  /// segments are skipped, so that the other samples are still marked.
  private func unpackBlocks(of correction: ClockCorrectionRecord, in database: Database) throws {
    guard let corrected = try Self.corrected(by: correction, in: database), corrected.after < corrected.last
    else { return }
    let provenances = try Int64.fetchAll(
      database,
      sql: """
        SELECT provenance.id FROM provenance
        JOIN source_revision ON source_revision.id = provenance.source_revision
        JOIN source ON source.id = source_revision.source WHERE source.bundle_identifier GLOB ?
        """, arguments: [Self.monitorSources])
    let times = corrected.times
    try BlockUnpacking(in: database).unpack(
      corrected.after + 1...corrected.last,
      // A sample in a compressed segment ends in the hour in which it starts. So one that ends in the period
      // starts at most an hour before the period.
      starting: times.lowerBound - HourSummary.length...times.upperBound, of: Set(provenances), damagedBlocks)
  }

  private static func mark(_ correction: ClockCorrectionRecord, in database: Database) throws {
    guard let corrected = try corrected(by: correction, in: database) else { return }
    var after = corrected.after
    var marked: [Int64?: Int64?] = [:]
    var changed: ClosedRange<Int64>?
    while true {
      let rows = try Row.fetchAll(
        database.cachedStatement(
          sql: """
            SELECT sample.id, sample.metadata FROM sample
            CROSS JOIN provenance ON provenance.id = sample.provenance
            CROSS JOIN source_revision ON source_revision.id = provenance.source_revision
            CROSS JOIN source ON source.id = source_revision.source
            WHERE sample.id > ?1 AND sample.id <= ?2 AND sample.start <= ?4
              AND ifnull(sample."end", sample.start) >= ?3 AND source.bundle_identifier GLOB ?5
              AND sample.id > ifnull(
                (SELECT last FROM recorded_sample WHERE first <= sample.id ORDER BY first DESC LIMIT 1), 0)
            ORDER BY sample.id LIMIT ?6
            """),
        arguments: [
          after, corrected.last, corrected.times.lowerBound, corrected.times.upperBound, monitorSources, page,
        ])
      let update = try database.cachedStatement(sql: "UPDATE sample SET metadata = ? WHERE id = ?")
      for row in rows {
        let id: Int64 = try row.decode(atIndex: 0)
        let metadata: Int64? = try row.decode(atIndex: 1)
        let new = try marked[metadata] ?? Self.metadata(like: metadata, ahead: correction.ahead, in: database)
        marked[metadata] = .some(new)
        try update.execute(arguments: [new, id])
        after = id
        changed = (changed?.lowerBound ?? id)...id
      }
      if rows.count < page { break }
    }
    if let changed { try ChangesInPlace(in: database).note(changed) }
  }

  /// - Returns: The ID of a metadata row that is equal to `row` except for the value of ``clockAheadKey``;
  ///   `nil` if it would be empty. If the metadata is damaged, returns `row`, so that the other samples are
  ///   still marked.
  private static func metadata(like row: Int64?, ahead: Int64, in database: Database) throws -> Int64? {
    var values: [String: MetadataValue] = [:]
    if let row {
      let bytes = try Data.fetchOne(
        database, sql: "SELECT encoded FROM metadata WHERE id = ?", arguments: [row])
      guard let known = try? EncodedMetadata(decoding: Array(bytes ?? Data())) else { return row }
      values = known.values
    }
    values[clockAheadKey] = ahead != 0 ? .double(Double(ahead) / 1e6) : nil
    guard !values.isEmpty else { return nil }
    let encoded = Data(EncodedMetadata(values).bytes)
    try database.execute(
      sql: "INSERT INTO metadata (encoded) VALUES (?) ON CONFLICT DO NOTHING", arguments: [encoded])
    return try Int64.fetchOne(
      database, sql: "SELECT id FROM metadata WHERE encoded = ?", arguments: [encoded])
  }

  // MARK: - Gaps and monitors

  /// Corrects the times of gaps and monitors. If a gap begins before the period of the wrong setting and ends
  /// within it, only the end is corrected.
  private static func move(_ correction: ClockCorrectionRecord, in database: Database) throws {
    let range = correction.times
    let arguments: StatementArguments = [
      "from": range.lowerBound, "to": range.upperBound, "shift": correction.shift,
    ]
    // If the clock was set forward and back again, remove the gap in between: no measurement is missing.
    try database.execute(
      sql: """
        DELETE FROM monitor_gap WHERE cause = 'clock-step' AND recorded = 0 AND start < :from
          AND "end" BETWEEN :from AND :to AND "end" - :shift - start <= 5000000
        """, arguments: arguments)
    try database.execute(
      sql: """
        UPDATE monitor_gap SET "end" = max(start, "end" - :shift)
        WHERE start < :from AND "end" BETWEEN :from AND :to AND recorded & 2 = 0
        """, arguments: arguments)
    try database.execute(
      sql: """
        UPDATE OR REPLACE monitor_gap SET start = start - :shift,
          "end" = CASE WHEN "end" BETWEEN :from AND :to AND recorded & 2 = 0
            THEN "end" - :shift ELSE "end" END
        WHERE start BETWEEN :from AND :to AND recorded & 1 = 0
        """, arguments: arguments)
    for column in ["last_seen", "last_measurement", "enrolled"] {
      try database.execute(
        sql: """
          UPDATE monitor SET \(column) = \(column) - :shift WHERE \(column) BETWEEN :from AND :to
          """, arguments: arguments)
    }
  }
}

extension ClockSettingRecord {
  /// - Throws: An error if the row has values that hrgate never writes.
  fileprivate init(_ row: Row) throws {
    self.init(
      id: try row.decode(forColumn: "id"), boot: try row.decode(forColumn: "boot"),
      origin: try row.decode(forColumn: "origin"), start: try row.decode(forColumn: "start"))
    run = try row.decode(forColumn: "run")
    end = try row.decode(forColumn: "end")
    ahead = try row.decode(forColumn: "ahead")
    isAtLeast = try row.decode(forColumn: "at_least")
  }
}
