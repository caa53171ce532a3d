import Foundation
import GRDB
import GRDBSQLite

/// Inserts a row of `sample`.
///
/// It calls SQLite's functions directly, because passing the arguments through GRDB takes as long as the
/// insert itself (`Benchmarks/`). Use it only inside the write access in which it was created.
struct SampleInsertion {
  /// A sample with this UUID is already stored.
  struct ConflictError: Error {
    let uuid: UUID
  }

  private let statement: Statement
  private let database: Database

  init(in database: Database) throws {
    self.database = database
    statement = try database.cachedStatement(
      sql: """
        INSERT INTO sample (uuid, type, start, end, provenance, metadata, value, unit)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """)
  }

  /// The IDs of the rows that the sample refers to.
  struct References {
    var type: Int64
    var provenance: Int64
    var metadata: Int64?
    var unit: Int64?
  }

  func insert(_ record: SampleRecord, _ references: References) throws {
    let value: Double? =
      switch record.content {
      case .quantity(let value, _): value
      // The value of a category has no unit.
      case .category(let value): Double(value)
      case .quantitySeries(let series): series.value
      case .heartbeatSeries, .locationSeries, .correlation, .archive, .recording, .container: nil
      }
    try insert(record.uuid, from: record.start, to: record.end, value: value, references)
  }

  func insert(_ uuid: UUID, from start: Int64, to end: Int64, value: Double?, _ references: References) throws
  {
    let raw = statement.sqliteStatement
    // The destructor `nil` is SQLITE_STATIC: SQLite does not copy the bytes, which stay valid until the
    // statement has run.
    let code = withUnsafeBytes(of: uuid.uuid) { bytes in
      sqlite3_bind_blob(raw, 1, bytes.baseAddress, Int32(bytes.count), nil)
      sqlite3_bind_int64(raw, 2, references.type)
      sqlite3_bind_int64(raw, 3, start)
      // NULL takes no space in the row, and most samples have no duration.
      bind(end > start ? end : nil, raw, 4)
      sqlite3_bind_int64(raw, 5, references.provenance)
      bind(references.metadata, raw, 6)
      if let value { sqlite3_bind_double(raw, 7, value) } else { sqlite3_bind_null(raw, 7) }
      bind(references.unit, raw, 8)
      return sqlite3_step(raw)
    }
    // Read the error before the reset. Reset in any case, because the statement is reused.
    let failure = code == SQLITE_DONE ? nil : refusal(of: uuid)
    sqlite3_reset(raw)
    if let failure { throw failure }
  }

  private func bind(_ value: Int64?, _ raw: OpaquePointer, _ index: Int32) {
    if let value {
      sqlite3_bind_int64(raw, index, value)
    } else {
      sqlite3_bind_null(raw, index)
    }
  }

  private func refusal(of uuid: UUID) -> any Error {
    let code = ResultCode(rawValue: sqlite3_extended_errcode(database.sqliteConnection))
    // The UUID is the only column of the table that must be unique.
    guard code != .SQLITE_CONSTRAINT_UNIQUE else { return ConflictError(uuid: uuid) }
    return DatabaseError(resultCode: code, message: database.lastErrorMessage)
  }
}
