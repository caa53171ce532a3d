import Foundation
import GRDB

/// Checks a whole store: SQLite's own checks, then conditions that all rows must meet.
///
/// It does not write. A store with an older schema is checked without migrating it. Use it only inside the
/// read access in which it was created.
struct StoreCheck {
  let database: Database
  private(set) var findings: [StoreFinding] = []

  /// Maximum number of problems to request from SQLite. More would be of no use.
  private static let mostSentences = 100

  init(_ database: Database) throws {
    self.database = database
    try checkFile()
    // Each of the following checks may fail at a damaged page. `attempt` then adds a finding, and the next
    // check runs.
    try attempt(.reference, "references") { check throws in try check.checkReferences() }
    try checkContents()
    // Schemas before 13 do not have this table.
    if try database.tableExists("block") {
      try attempt(.content, "blocks") { check throws in try BlockCheck(check.database).findings }
    }
    try attempt(.changeLog, "the change log") { check throws in try check.checkChangeLog() }
    try attempt(.summary, "summaries") { check throws in try check.checkSummaries() }
    try attempt(.summary, "counts") { check throws in try check.checkCounts() }
  }

  /// Runs a check. If it fails because the file is damaged, adds this as a finding.
  mutating func attempt(
    _ kind: StoreFinding.Kind, _ what: String, _ check: (StoreCheck) throws -> [StoreFinding]
  ) throws {
    do {
      let found = try check(self)
      findings += found
    } catch let error as DatabaseError {
      let reason = StorageError.name(of: error.extendedResultCode)
      findings.append(
        StoreFinding(kind: kind, text: "\(what) cannot be read completely: \(reason)", count: 1))
    } catch is RowDecodingError {
      findings.append(StoreFinding(kind: kind, text: "\(what) contain an invalid row", count: 1))
    } catch StorageError.sqlite(let code, _) {
      findings.append(StoreFinding(kind: kind, text: "\(what) cannot be read completely: \(code)", count: 1))
    }
  }

  private mutating func checkFile() throws {
    do {
      for sentence in try SQLiteCheck.problems("integrity_check", most: Self.mostSentences, in: database) {
        findings.append(StoreFinding(kind: .file, text: sentence, count: 1))
      }
    } catch let error as DatabaseError {
      let reason = "\(StorageError.name(of: error.extendedResultCode)): \(error.message ?? "")"
      findings.append(StoreFinding(kind: .file, text: reason, count: 1))
    }
  }

  private func checkReferences() throws -> [StoreFinding] {
    var counts: [String: Int] = [:]
    let rows = try Row.fetchCursor(database, sql: "PRAGMA foreign_key_check")
    while let row = try rows.next() {
      let (table, other): (String?, String?) = (try row.decode(atIndex: 0), try row.decode(atIndex: 2))
      counts["a row of \(table ?? "?") refers to a missing row of \(other ?? "?")", default: 0] += 1
    }
    return counts.sorted(by: <).map { StoreFinding(kind: .reference, text: $0.key, count: $0.value) }
  }

  // MARK: - The change log

  private func checkChangeLog() throws -> [StoreFinding] {
    var findings: [StoreFinding] = []
    let twice = try Int.fetchOne(
      database, sql: "SELECT count(*) FROM deleted_object WHERE id IN (SELECT id FROM sample)")
    if let twice, twice > 0 {
      findings.append(
        StoreFinding(
          kind: .changeLog, text: "two entries have the same position in the change log", count: twice))
    }
    let beyond = try Int.fetchOne(
      database,
      sql: """
        WITH seq (last) AS (SELECT ifnull((SELECT seq FROM sqlite_sequence WHERE name = 'sample'), 0))
        SELECT (SELECT count(*) FROM sample, seq WHERE id > last)
          + (SELECT count(*) FROM deleted_object, seq WHERE id > last)
        """)
    if let beyond, beyond > 0 {
      findings.append(
        StoreFinding(
          kind: .changeLog, text: "an entry's position is beyond the end of the change log", count: beyond))
    }
    let identities = try Int.fetchOne(database, sql: "SELECT count(*) FROM store_identity") ?? 0
    if identities != 1 {
      findings.append(StoreFinding(kind: .changeLog, text: "the store has no identifier", count: 1))
    }
    return findings
  }

  // MARK: - Summaries and counts

  /// Checks the stored summaries of hours: number of samples, first and last start, minimum and maximum.
  /// Weighted averages are not checked. Hours with the start of a series or with values in several units are
  /// skipped, because only statistics queries can compute them.
  private func checkSummaries() throws -> [StoreFinding] {
    // If the store has the table `batch` of an earlier schema, `packed_sample` does not contain all samples,
    // so summaries cannot be checked.
    guard try database.tableExists("hour_summary"), try EarlierBatches(in: database) == nil else { return [] }
    // An hour may have both rows and compressed segments, so compute the statistics of each and combine them.
    let figures = try tables().union {
      """
      SELECT hour.type, hour.start, hour.count, hour.first, hour.last, hour.least, hour.greatest, hour.unit,
        count(sample.id) AS rows, min(sample.start) AS earliest, max(sample.start) AS latest,
        min(sample.value) AS lowest, max(sample.value) AS highest,
        min(sample.unit) AS one_unit, max(sample.unit) AS other_unit,
        max(EXISTS (SELECT 1 FROM quantity_series WHERE quantity_series.sample = sample.id)) AS has_series
      FROM (
        SELECT * FROM hour_summary AS whole WHERE source = 0 OR NOT EXISTS (
          SELECT 1 FROM hour_summary AS other
          WHERE other.type = whole.type AND other.start = whole.start AND other.source <> whole.source)
      ) AS hour
      LEFT JOIN \($0.sql) ON sample.type = hour.type AND sample.start >= hour.start
        AND sample.start < hour.start + \(HourSummary.length)
        AND sample.unit IS NOT NULL AND sample.value IS NOT NULL
      GROUP BY hour.type, hour.start
      """
    }
    let contradicted = try Int.fetchOne(
      database,
      sql: """
        SELECT count(*) FROM (
          SELECT count, first, last, least, greatest, unit, sum(rows) AS rows, min(earliest) AS earliest,
            max(latest) AS latest, min(lowest) AS lowest, max(highest) AS highest,
            min(one_unit) AS one_unit, max(other_unit) AS other_unit, max(has_series) AS has_series
          FROM (\(figures.sql)) GROUP BY type, start
        )
        WHERE NOT has_series AND (one_unit IS NULL OR (one_unit = unit AND other_unit = unit))
          AND (one_unit IS NULL OR count <> rows OR first <> earliest OR last <> latest OR least <> lowest
            OR greatest <> highest)
        """)
    guard let contradicted, contradicted > 0 else { return [] }
    return [
      StoreFinding(
        kind: .summary, text: "the stored summary of an hour differs from its samples", count: contradicted)
    ]
  }

  /// Returns the tables that contain samples. Schemas before 13 have no compressed segments.
  private func tables() throws -> SampleTables {
    let haveBlocks = try database.tableExists("block")
    return SampleTables(haveBlocks ? [.rows, .blocks] : [.rows])
  }

  private func checkCounts() throws -> [StoreFinding] {
    guard try database.tableExists("sample_count") else { return [] }
    // In schemas 13 to 17, `sample_count` includes samples in compressed segments. In schema 14, it also
    // includes those in the table `batch`.
    let isEarlier = try !Schema.migrator.appliedIdentifiers(database).contains("18")
    let countsBlocks = try isEarlier && database.tableExists("block")
    let countsBatches = try isEarlier && !database.tableExists("open_series")
    let contradicted = try Int.fetchOne(
      database,
      sql: """
        SELECT count(*) FROM (
          SELECT 1 FROM (
            SELECT type, provenance, count, 0 AS rows FROM sample_count
            UNION ALL SELECT type, provenance, 0, count(*) FROM sample GROUP BY type, provenance
            \(countsBlocks ? "UNION ALL SELECT type, provenance, 0, count FROM block" : "")
            UNION ALL SELECT value ->> 0, value ->> 1, 0, value ->> 2 FROM json_each(?)
          ) GROUP BY type, provenance HAVING sum(count) <> sum(rows)
        )
        """,
      arguments: [countsBatches ? EarlierBatches.counts(in: database) : "[]"])
    guard let contradicted, contradicted > 0 else { return [] }
    return [
      StoreFinding(
        kind: .summary, text: "the stored sample count of a source differs from its samples",
        count: contradicted)
    ]
  }
}

/// A problem found in a store. The text does not contain any health values.
package struct StoreFinding: Hashable, Sendable, CustomStringConvertible {
  package enum Kind: String, Sendable {
    /// A problem with SQLite's pages, indexes or constraints.
    case file
    /// A row refers to a row that is missing.
    case reference
    /// Bytes cannot be decoded, for example as beats or metadata.
    case content
    /// The stored summary of an hour does not match the samples.
    case summary
    /// A change log position is used twice, or is greater than the last position.
    case changeLog
  }

  package var kind: Kind
  package var text: String
  package var count: Int

  package var description: String { count == 1 ? text : "\(count) × \(text)" }
}

/// SQLite's own checks of a database file.
enum SQLiteCheck {
  /// Returns the problems that `quick_check` or `integrity_check` reports, one per element; empty if there
  /// are none.
  /// - Parameter most: The limit that is passed to SQLite. The result may be slightly longer.
  static func problems(_ check: String, most: Int = 100, in database: Database) throws -> [String] {
    try String.fetchAll(database, sql: "PRAGMA \(check)(\(most))").flatMap(sentences)
  }

  /// Splits a result of SQLite into problems. A result may have several lines below a heading with the name
  /// of the database.
  static func sentences(_ row: String) -> [String] {
    row.split(separator: "\n").map(String.init).filter { $0 != "ok" && !$0.hasPrefix("*** in database ") }
  }
}
