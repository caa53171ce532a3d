import GRDB

/// Repairs the small tables (types, units, sources and so on). All samples refer to them, so one lost page
/// would otherwise cost all samples.
extension RowRescue {
  /// Restores lost rows from an index that contains a copy of their columns.
  /// - Returns: The IDs of sources that were restored without their names.
  func readSmallIndexes(
    into database: Database, _ recovered: inout StoreUpkeep.Recovered
  ) throws -> [Int64] {
    var unnamed: [Int64] = []
    for table in SmallTable.all where recovered.isIncomplete(table.name) {
      let found = try readIndex(of: table, into: database, &recovered)
      if table.name == "source" { unnamed = found }
    }
    return unnamed
  }

  /// Handles rows that could not be restored from an index. References to lost metadata and devices are set
  /// to NULL. Lost sources are replaced by placeholders. Lost types and units are not, because a value
  /// without its type or unit is meaningless.
  /// - Parameter unnamed: The IDs of sources whose names are lost.
  func mendSmallTables(
    _ unnamed: [Int64], in database: Database, _ recovered: inout StoreUpkeep.Recovered
  ) throws {
    // Count this last: finding the samples of a source requires that all tables have been read.
    try recovered.lose(.sourceName, samples(ofSources: unnamed, in: database))
    if recovered.isIncomplete("metadata") { try forgetMetadata(in: database, &recovered) }
    if recovered.isIncomplete("device") { try forgetDevices(in: database, &recovered) }
    try placeholderForSources(in: database, &recovered)
  }

  /// Restores lost rows of a small table from its index.
  /// - Returns: The IDs of the rows that were restored.
  private func readIndex(
    of table: SmallTable, into database: Database, _ recovered: inout StoreUpkeep.Recovered
  ) throws -> [Int64] {
    let columns = table.columns.map(\.name).joined(separator: ", ")
    let values = table.columns.map(\.value).joined(separator: ", ")
    let insert = try database.makeStatement(
      sql: """
        INSERT OR IGNORE INTO \(table.name) (\(columns), id) VALUES (\(values), ?\(table.width + 1))
        """)
    // Ignore an index that cannot be opened.
    guard let reader = try? IndexReader(table.index, width: table.width, inCopy: copy) else { return [] }
    var found: [Int64] = []
    let isWhole = reader.forEach { row in
      // If the table rejects a value, the value is damaged.
      guard let id = row.last.flatMap(Int64.fromDatabaseValue),
        (try? insert.execute(arguments: StatementArguments(row))) != nil
      else { return }
      if database.changesCount > 0 { found.append(id) }
    }
    recovered.kept[table.name, default: 0] += found.count
    if isWhole {
      recovered.damaged.remove(table.name)
      recovered.dropped[table.name] = nil
    }
    return found
  }

  // MARK: - References that can be set to NULL

  private func forgetMetadata(in database: Database, _ recovered: inout StoreUpkeep.Recovered) throws {
    // The first condition is needed because SQLite evaluates NULL NOT IN (…) as true for an empty table.
    let isLost = "metadata IS NOT NULL AND metadata NOT IN (SELECT id FROM metadata)"
    try recovered.lose(.metadata, samples(isLost, in: database))
    for (table, column) in try database.references(to: "metadata") {
      try database.execute(sql: "UPDATE \(table) SET \(column) = NULL WHERE \(isLost)")
    }
  }

  private func forgetDevices(in database: Database, _ recovered: inout StoreUpkeep.Recovered) throws {
    let isLost = "device IS NOT NULL AND device NOT IN (SELECT id FROM device)"
    try recovered.lose(
      .device, samples("provenance IN (SELECT id FROM provenance WHERE \(isLost))", in: database))
    // Provenances that differed only in their lost devices will be equal. Merge them.
    try database.execute(
      sql: """
        CREATE TEMP TABLE alike AS SELECT id AS old, (
          SELECT min(other.id) FROM provenance AS other
          WHERE other.source_revision = provenance.source_revision
            AND (other.device IS NULL OR other.device NOT IN (SELECT id FROM device))) AS new
        FROM provenance WHERE device IS NULL OR device NOT IN (SELECT id FROM device)
        """)
    for (table, column) in try database.references(to: "provenance") {
      try database.execute(
        sql: """
          UPDATE \(table) SET \(column) = (SELECT new FROM temp.alike WHERE old = \(column))
          WHERE \(column) IN (SELECT old FROM temp.alike WHERE new <> old)
          """)
    }
    try database.execute(
      sql: """
        DELETE FROM provenance WHERE id IN (SELECT old FROM temp.alike WHERE new <> old);
        UPDATE provenance SET device = NULL WHERE \(isLost);
        DROP TABLE temp.alike
        """)
  }

  // MARK: - References that need a placeholder

  /// Inserts a placeholder for each lost row, so that samples of different sources stay separate.
  private func placeholderForSources(in database: Database, _ recovered: inout StoreUpkeep.Recovered) throws {
    var sources: [Int64] = []
    if recovered.isIncomplete("source") {
      for id in try lostRows(of: "source", in: database) {
        try insertSource(id, named: "source-\(id)", in: database)
        sources.append(id)
      }
    }
    if recovered.isIncomplete("source_revision") {
      for id in try lostRows(of: "source_revision", in: database) {
        let source = try insertSource(nil, named: "version-\(id)", in: database)
        try insertRevision(id, of: source, in: database)
        sources.append(source)
      }
    }
    if recovered.isIncomplete("provenance") {
      for id in try lostRows(of: "provenance", in: database) {
        let source = try insertSource(nil, named: "origin-\(id)", in: database)
        try database.execute(
          sql: "INSERT INTO provenance (id, source_revision) VALUES (?, ?)",
          arguments: [id, insertRevision(nil, of: source, in: database)])
        sources.append(source)
      }
    }
    try recovered.lose(.source, samples(ofSources: sources, in: database))
  }

  private func lostRows(of table: String, in database: Database) throws -> [Int64] {
    let references = try database.references(to: table).map {
      "SELECT \($0.column) AS id FROM \($0.table) WHERE \($0.column) IS NOT NULL"
    }
    return try Int64.fetchAll(
      database,
      sql: """
        SELECT DISTINCT id FROM (\(references.joined(separator: " UNION ALL ")))
        WHERE id NOT IN (SELECT id FROM \(table)) ORDER BY id
        """)
  }

  @discardableResult
  private func insertSource(_ id: Int64?, named place: String, in database: Database) throws -> Int64 {
    try database.execute(
      sql: "INSERT INTO source (id, bundle_identifier, name) VALUES (?, ?, 'recovered')",
      arguments: [id, "org.hrgate.recovered.\(place)"])
    return database.lastInsertedRowID
  }

  @discardableResult
  private func insertRevision(_ id: Int64?, of source: Int64, in database: Database) throws -> Int64 {
    try database.execute(
      sql: "INSERT INTO source_revision (id, source, operating_system) VALUES (?, ?, '0.0.0')",
      arguments: [id, source])
    return database.lastInsertedRowID
  }

  // MARK: - Counting samples

  private func samples(ofSources sources: [Int64], in database: Database) throws -> Int {
    let list = sources.map(\.description).joined(separator: ", ")
    return try samples(
      """
      provenance IN (SELECT provenance.id FROM provenance
        JOIN source_revision ON source_revision.id = provenance.source_revision
        WHERE source_revision.source IN (\(list)))
      """, in: database)
  }

  /// - Parameter condition: An SQL condition on columns that `sample` and `block` have in common.
  private func samples(_ condition: String, in database: Database) throws -> Int {
    let rows = try Int.fetchOne(database, sql: "SELECT count(*) FROM sample WHERE \(condition)") ?? 0
    // Ignore larger counts, because a damaged count may have any value.
    let packed = try Int.fetchAll(
      database, sql: "SELECT count FROM block WHERE count BETWEEN 0 AND 1000000 AND \(condition)")
    return rows + packed.reduce(0, +)
  }
}

extension StoreUpkeep.Recovered {
  /// Whether any rows of the table are known to be lost.
  fileprivate func isIncomplete(_ table: String) -> Bool {
    damaged.contains(table) || dropped[table] ?? 0 > 0
  }

  fileprivate mutating func lose(_ loss: RecoveryLoss, _ count: Int) {
    if count > 0 { losses[loss] = count }
  }
}
