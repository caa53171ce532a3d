import Foundation
import GRDB

/// Finds or inserts rows of the small tables (types, units, sources and so on) for samples that are being
/// saved.
///
/// Most samples have the same values as the one before. So the last type and unit are cached, and provenances
/// and metadata are looked up by object identity, which avoids hashing strings for each sample.
struct Interning {
  let database: Database
  var rows: InternedRows
  private var lastType: (identifier: String, row: InternedRows.ObjectTypeRow)?
  private var lastUnit: (symbol: String, id: Int64)?
  // Object identifiers stay valid, because the samples outlive this value.
  private var seenProvenances: [ObjectIdentifier: InternedRows.ProvenanceRow] = [:]
  private var seenMetadata: [ObjectIdentifier: Int64] = [:]

  init(_ rows: InternedRows, in database: Database) throws {
    self.database = database
    let version = try Int64.fetchOne(database.cachedStatement(sql: "PRAGMA data_version"))
    self.rows = rows.dataVersion == version ? rows : InternedRows()
    self.rows.dataVersion = version
  }

  /// Returns the row ID of an object type, and updates its longest duration and latest end for a sample.
  mutating func type(_ identifier: String, duration: Int64, end: Int64) throws -> Int64 {
    var row = try typeRow(of: identifier)
    if duration > row.longest {
      row.longest = duration
      try database.cachedStatement(sql: "UPDATE object_type SET longest = max(longest, ?) WHERE id = ?")
        .execute(arguments: [duration, row.id])
    }
    row.latestEnd = row.latestEnd.map { max($0, end) }
    lastType = (identifier, row)
    return row.id
  }

  /// Returns the latest end of a stored sample of a type, in microseconds since 1970.
  mutating func latestEnd(of identifier: String) throws -> Int64 {
    var row = try typeRow(of: identifier)
    if let known = row.latestEnd { return known }
    let found = try SampleDatabase.latestEnd(ofType: row.id, longest: row.longest, in: database)
    row.latestEnd = found
    lastType = (identifier, row)
    return found
  }

  /// Stores the state of the last type in the cache. Call it after the last sample.
  mutating func settle() {
    if let (identifier, row) = lastType { rows.types[identifier] = row }
    lastType = nil
  }

  private mutating func typeRow(of identifier: String) throws -> InternedRows.ObjectTypeRow {
    if let lastType, lastType.identifier == identifier { return lastType.row }
    settle()
    let row = try rows.types[identifier] ?? typeRow(identifier)
    lastType = (identifier, row)
    return row
  }

  private func typeRow(_ identifier: String) throws -> InternedRows.ObjectTypeRow {
    try database.cachedStatement(
      sql: "INSERT INTO object_type (identifier) VALUES (?) ON CONFLICT DO NOTHING"
    )
    .execute(arguments: [identifier])
    let statement = try database.cachedStatement(
      sql: "SELECT id, longest FROM object_type WHERE identifier = ?")
    guard let row = try Row.fetchOne(statement, arguments: [identifier]) else { throw missing("object_type") }
    return try InternedRows.ObjectTypeRow(id: row.decode(atIndex: 0), longest: row.decode(atIndex: 1))
  }

  mutating func unit(_ symbol: String) throws -> Int64 {
    if let lastUnit, lastUnit.symbol == symbol { return lastUnit.id }
    let id = try rows.units[symbol] ?? unitRow(symbol)
    rows.units[symbol] = id
    lastUnit = (symbol, id)
    return id
  }

  private func unitRow(_ symbol: String) throws -> Int64 {
    try database.cachedStatement(sql: "INSERT INTO unit (symbol) VALUES (?) ON CONFLICT DO NOTHING")
      .execute(arguments: [symbol])
    return try id("SELECT id FROM unit WHERE symbol = ?", [symbol])
  }

  mutating func metadata(_ value: EncodedMetadata) throws -> Int64 {
    if let id = seenMetadata[ObjectIdentifier(value)] { return id }
    if rows.metadata.count >= InternedRows.metadataCapacity { rows.metadata.removeAll(keepingCapacity: true) }
    let id = try rows.metadata[value.bytes] ?? metadataRow(value)
    rows.metadata[value.bytes] = id
    seenMetadata[ObjectIdentifier(value)] = id
    return id
  }

  private func metadataRow(_ value: EncodedMetadata) throws -> Int64 {
    let bytes = Data(value.bytes)
    try database.cachedStatement(sql: "INSERT INTO metadata (encoded) VALUES (?) ON CONFLICT DO NOTHING")
      .execute(arguments: [bytes])
    return try id("SELECT id FROM metadata WHERE encoded = ?", [bytes])
  }

  mutating func provenance(_ value: Provenance) throws -> InternedRows.ProvenanceRow {
    if let row = seenProvenances[ObjectIdentifier(value)] { return row }
    let row: InternedRows.ProvenanceRow
    if let known = rows.provenances[value] {
      row = known
      try rename(source: known.source, to: value.revision.source.name)
    } else {
      if rows.provenances.count >= InternedRows.provenanceCapacity { rows.forgetProvenances() }
      row = try provenanceRow(value)
      rows.provenances[value] = row
    }
    seenProvenances[ObjectIdentifier(value)] = row
    return row
  }

  /// Returns the row ID that a query finds. Throws if it finds no row.
  func id(_ sql: String, _ arguments: StatementArguments) throws -> Int64 {
    guard let id = try Int64.fetchOne(database.cachedStatement(sql: sql), arguments: arguments) else {
      throw missing(sql)
    }
    return id
  }

  /// Returns the error for a row that was just inserted but is missing, which means that the file is damaged.
  private func missing(_ what: String) -> StorageError {
    .sqlite(code: "SQLITE_CORRUPT", message: "row missing: \(what)")
  }
}
