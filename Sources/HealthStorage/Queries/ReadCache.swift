import Foundation
import GRDB

/// A cache of rows of the small tables (types, units, sources and so on), valid during one read.
struct ReadCache {
  let database: Database
  /// An SQL condition that selects the samples in a container that the application may read.
  let parts: SQLCondition
  /// Whether samples in a container are being read. A container never contains correlations.
  var isWithinContainer = false
  private var types: [Int64: String] = [:]
  private var units: [Int64: String] = [:]
  private var provenances: [Int64: Provenance] = [:]
  private var metadata: [Int64: EncodedMetadata] = [:]
  private var keys: [String: SampledValueKeys] = [:]
  private var marks: MetadataMarks

  /// - Parameter marking: The metadata key that marks samples; `nil` if marks are not needed.
  init(_ database: Database, parts: SQLCondition?, marking: String?) {
    self.database = database
    self.parts = parts ?? .always
    marks = MetadataMarks(key: marking, database)
  }

  mutating func type(_ id: Int64) throws -> String {
    if let known = types[id] { return known }
    let identifier = try text("SELECT identifier FROM object_type WHERE id = ?", id)
    types[id] = identifier
    return identifier
  }

  mutating func unit(_ id: Int64) throws -> String {
    if let known = units[id] { return known }
    let symbol = try text("SELECT symbol FROM unit WHERE id = ?", id)
    units[id] = symbol
    return symbol
  }

  /// Returns the meaning of the IDs in the quantities of a type.
  mutating func keys(_ type: String) throws -> SampledValueKeys {
    if let known = keys[type] { return known }
    let read = try SampleDatabase.keys(type, database)
    keys[type] = read
    return read
  }

  /// Returns whether samples with this metadata are marked: whether the value for the marking key is true.
  /// - Parameter metadata: The row ID of the metadata; `nil` without metadata.
  mutating func isMarked(_ metadata: Int64?) throws -> Bool { try marks.contain(metadata ?? 0) }

  mutating func metadata(_ id: Int64) throws -> EncodedMetadata {
    if let known = metadata[id] { return known }
    // Limit the cache, because each sample with a sync identifier has its own metadata row.
    if metadata.count >= InternedRows.metadataCapacity { metadata.removeAll(keepingCapacity: true) }
    let statement = try database.cachedStatement(sql: "SELECT encoded FROM metadata WHERE id = ?")
    let bytes = try Data.fetchOne(statement, arguments: [id]) ?? Data()
    let value = try EncodedMetadata(decoding: Array(bytes))
    metadata[id] = value
    return value
  }

  mutating func provenance(_ id: Int64) throws -> Provenance {
    if let known = provenances[id] { return known }
    let statement = try database.cachedStatement(sql: Self.provenanceQuery)
    guard let row = try Row.fetchOne(statement, arguments: [id]) else { throw Self.damaged }
    let provenance = Provenance(revision: try Self.revision(row), device: try Self.device(row))
    provenances[id] = provenance
    return provenance
  }

  private static let provenanceQuery = """
    SELECT source.bundle_identifier, source.name, version, product_type, operating_system, device.id,
      \(DeviceRecord.columns.map { "device.\($0)" }.joined(separator: ", "))
    FROM provenance
    JOIN source_revision ON source_revision.id = provenance.source_revision
    JOIN source ON source.id = source_revision.source
    LEFT JOIN device ON device.id = provenance.device
    WHERE provenance.id = ?
    """

  private static func revision(_ row: Row) throws -> SourceRevisionRecord {
    try SourceRevisionRecord(
      source: SourceRecord(bundleIdentifier: row.decode(atIndex: 0), name: row.decode(atIndex: 1)),
      version: row.decode(atIndex: 2), productType: row.decode(atIndex: 3),
      operatingSystem: row.decode(atIndex: 4))
  }

  private static func device(_ row: Row) throws -> DeviceRecord? {
    guard !row.hasNull(atIndex: 5) else { return nil }
    var device = DeviceRecord()
    for (index, field) in DeviceRecord.Field.allCases.enumerated() {
      device[field] = try row.decode(atIndex: 6 + index)
    }
    return device
  }

  private func text(_ sql: String, _ id: Int64) throws -> String {
    guard let text = try String.fetchOne(database.cachedStatement(sql: sql), arguments: [id]) else {
      throw Self.damaged
    }
    return text
  }

  private static var damaged: StorageError {
    .sqlite(code: "SQLITE_CORRUPT", message: "a sample refers to a row of the store that is missing")
  }
}
