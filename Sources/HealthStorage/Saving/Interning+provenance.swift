import GRDB

extension Interning {
  mutating func provenanceRow(_ value: Provenance) throws -> InternedRows.ProvenanceRow {
    let source = try sourceRow(value.revision.source)
    let revision = try revisionRow(value.revision, source)
    let device = try value.device.map(deviceRow)
    try database.cachedStatement(
      sql: "INSERT INTO provenance (source_revision, device) VALUES (?, ?) ON CONFLICT DO NOTHING"
    ).execute(arguments: [revision, device])
    let id = try id(
      "SELECT id FROM provenance WHERE source_revision = ? AND ifnull(device, 0) = ifnull(?, 0)",
      [revision, device])
    return InternedRows.ProvenanceRow(id: id, source: source)
  }

  /// Renames a source. Only the latest name for a bundle identifier is stored.
  mutating func rename(source: Int64, to name: String) throws {
    guard rows.sourceNames[source] != name else { return }
    try database.cachedStatement(sql: "UPDATE source SET name = ? WHERE id = ?")
      .execute(arguments: [name, source])
    rows.sourceNames[source] = name
  }

  private mutating func sourceRow(_ source: SourceRecord) throws -> Int64 {
    try database.cachedStatement(
      sql: """
        INSERT INTO source (bundle_identifier, name) VALUES (?, ?)
        ON CONFLICT (bundle_identifier) DO UPDATE SET name = excluded.name
        """
    ).execute(arguments: [source.bundleIdentifier, source.name])
    let id = try id("SELECT id FROM source WHERE bundle_identifier = ?", [source.bundleIdentifier])
    rows.sourceNames[id] = source.name
    return id
  }

  private func revisionRow(_ revision: SourceRevisionRecord, _ source: Int64) throws -> Int64 {
    let values: StatementArguments = [
      source, revision.version, revision.productType, revision.operatingSystem,
    ]
    try database.cachedStatement(
      sql: """
        INSERT INTO source_revision (source, version, product_type, operating_system) VALUES (?, ?, ?, ?)
        ON CONFLICT DO NOTHING
        """
    ).execute(arguments: values)
    return try id(
      """
      SELECT id FROM source_revision
      WHERE source = ? AND version IS ? AND product_type IS ? AND operating_system = ?
      """, values)
  }

  private func deviceRow(_ device: DeviceRecord) throws -> Int64 {
    let values = StatementArguments(device.fields)
    let columns = DeviceRecord.columns
    let marks = columns.map { _ in "?" }.joined(separator: ", ")
    try database.cachedStatement(
      sql: """
        INSERT INTO device (\(columns.joined(separator: ", "))) VALUES (\(marks)) ON CONFLICT DO NOTHING
        """
    ).execute(arguments: values)
    // These expressions match the index `device_value`. With `IS`, SQLite would not use the index.
    let matches = columns.map { "ifnull(\($0), x'') = ifnull(?, x'')" }.joined(separator: " AND ")
    return try id("SELECT id FROM device WHERE \(matches)", values)
  }
}
