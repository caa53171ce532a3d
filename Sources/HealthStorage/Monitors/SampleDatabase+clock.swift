import Foundation
import GRDB

extension SampleDatabase {
  /// The metadata key for the seconds by which the clock of a sample's times was ahead; negative if it was
  /// behind.
  package static let clockAheadKey = "org.hrgate.clock-ahead"
  /// What the sources of monitors are called.
  private static let monitorSources = "org.hrgate.monitor.*"

  /// The settings of the wall clock that are kept, in their order.
  package func clockSettings() async throws -> [ClockSettingRecord] {
    try await read { database in
      try Row.fetchAll(database, sql: "SELECT * FROM clock_setting ORDER BY id").map(ClockSettingRecord.init)
    }
  }

  /// Marks what was stored while the clock was ahead or behind, and moves what is no sample to the right
  /// time.
  ///
  /// A mark is written into the stored metadata. Nothing else of a sample changes, so an anchored query does
  /// not tell it anew; to destinations that have it already it goes once more. Gaps and the times at which
  /// monitors were heard are the gateway's own, and are moved: a gap in the future would soon have
  /// measurements in it.
  func save(_ changes: ClockChangesRecord, in database: Database) throws {
    for correction in changes.corrections {
      try dissolveBlocks(of: correction, in: database)
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

  /// So many rows are looked at together.
  private static let page = 10_000

  /// What a correction is about.
  private struct Corrected {
    /// Places in the change log: after the first, up to the last.
    var after: Int64
    var last: Int64
    /// In the setting's own times: samples stay where they are.
    var times: ClosedRange<Int64>
  }

  /// - Returns: nil for a setting that is not kept.
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

  /// A block that cannot be read has no samples that anybody could be told to be wrong, and must not keep the
  /// others from being marked.
  private func dissolveBlocks(of correction: ClockCorrectionRecord, in database: Database) throws {
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
    try BlockDissolution(in: database).dissolve(
      corrected.after + 1...corrected.last,
      // What is packed lasts no longer than its hour.
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

  /// - Returns: The row of the same metadata with another mark; nil where nothing is left. Metadata that is
  ///   damaged stays as it is: what cannot be marked is not to keep the rest from it.
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

  // MARK: - What is no sample

  /// A gap that begins before the setting and ends in it was measured from one setting to another.
  private static func move(_ correction: ClockCorrectionRecord, in database: Database) throws {
    let range = correction.times
    let arguments: StatementArguments = [
      "from": range.lowerBound, "to": range.upperBound, "shift": correction.shift,
    ]
    // The clock was set forward and back again, and between the two frames nothing else happened.
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
  /// - Throws: for a row that is not what this version writes.
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
