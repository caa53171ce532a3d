import HealthDataSync

/// Makes the schema, brings an older one up to date, and looks whether it is as it was made.
struct SchemaOpening {
  let connection: Connection
  let schema: Schema
  let address: PostgreSQLAddress

  /// Any number, the same in every gateway: whoever holds this lock changes the schema, its partitions
  /// included.
  static let lock = 0x6872_6761_7465

  /// - Throws: `ExternalStoreError`, `DatabaseFailure`.
  func perform() throws {
    let version = try version()
    if version < schema.version { try migrate() }
    if version > schema.version { throw newer(version) }
    try check()
  }

  /// 0 where there is none.
  private func version() throws -> Int {
    guard try connection.hasRelation("schema_version") else { return 0 }
    return try connection.perform("SELECT coalesce(max(version), 0) FROM hrgate.schema_version").number ?? 0
  }

  private func newer(_ version: Int) -> ExternalStoreError {
    ExternalStoreError(
      "the schema hrgate of PostgreSQL at \(address) is of a newer hrgate (version \(version); this one knows "
        + "\(schema.version)): update hrgate here", outlook: .lasting)
  }

  /// All steps in one transaction. Of two gateways one waits for the other, and finds nothing left to do.
  private func migrate() throws {
    try connection.perform("BEGIN; SELECT pg_advisory_xact_lock(\(Self.lock))")
    do {
      // The rights to a schema that is there are looked at before "IF NOT EXISTS" is.
      let isThere = try connection.perform("SELECT 1 FROM pg_namespace WHERE nspname = 'hrgate'").count == 1
      if !isThere { try connection.perform("CREATE SCHEMA hrgate") }
      try connection.perform(
        """
        CREATE TABLE IF NOT EXISTS hrgate.schema_version (
          version integer PRIMARY KEY,
          applied_at timestamptz NOT NULL DEFAULT now(),
          applied_by text NOT NULL DEFAULT current_user)
        """)
      // After the lock: another gateway may have been here meanwhile.
      let version = try version()
      for (index, step) in schema.steps.enumerated().dropFirst(version) {
        try connection.perform(step)
        try connection.perform("INSERT INTO hrgate.schema_version (version) VALUES (\(index + 1))")
      }
      try connection.perform("COMMIT")
    } catch {
      _ = try? connection.perform("ROLLBACK")
      throw error
    }
  }

  /// Names the first table that is not as it was made.
  private func check() throws {
    let rows = try connection.perform(
      """
      SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
        a.attnotnull AND NOT a.atthasdef AND a.attidentity = ''
      FROM pg_class c
      JOIN pg_namespace n ON n.oid = c.relnamespace
      JOIN pg_attribute a ON a.attrelid = c.oid
      WHERE n.nspname = 'hrgate' AND c.relkind IN ('r', 'p', 'c') AND a.attnum > 0 AND NOT a.attisdropped
      """
    ).rows
    let found = Dictionary(grouping: rows) { $0[0] ?? "" }
    for (table, expected) in Schema.columns.sorted(by: { $0.key < $1.key }) {
      let columns = found[table] ?? []
      let types = Dictionary(columns.map { ($0[1] ?? "", $0[2] ?? "") }) { first, _ in first }
      let isWhole = expected.allSatisfy { types[$0.key] == $0.value }
      let isOpen = columns.allSatisfy { expected[$0[1] ?? ""] != nil || $0[3] != "t" }
      guard isWhole, isOpen else {
        throw ExternalStoreError.changedSchema(
          "\(table == "series" ? "the type" : "the table") hrgate.\(table)", "PostgreSQL at \(address)")
      }
    }
  }
}

extension Connection {
  /// Whether the schema `hrgate` has a table or view of this name, one that was made just now included: asked
  /// of the catalogue itself, for `to_regclass` may tell from memory what was so before a lock was waited
  /// for.
  func hasRelation(_ name: String) throws(DatabaseFailure) -> Bool {
    try perform(
      "SELECT FROM pg_class WHERE relname = $1 AND relnamespace = "
        + "(SELECT oid FROM pg_namespace WHERE nspname = 'hrgate')", [name]
    ).count == 1
  }
}
