import HealthDataSync

/// Creates or migrates the schema, and checks that users have not changed it incompatibly.
struct SchemaOpening {
  let connection: Connection
  let schema: Schema
  let address: PostgreSQLAddress
  /// Whether data was sent before. If so, a missing schema means that data was lost, and it is not created
  /// again.
  var isExpected = false

  /// The key of the advisory lock that serializes changes to the schema and its partitions: an arbitrary
  /// number that all gateways share.
  static let lock = 0x6872_6761_7465

  /// Opens the schema.
  ///
  /// - Throws: `ExternalStoreError`, `PostgreSQLError`.
  func perform() throws {
    try takeOwnersRole()
    let version = try version()
    if version == 0, isExpected { throw MarkerRow.lostSchema(at: address) }
    if version < schema.version { try migrate() }
    if version > schema.version { throw newer(version) }
    try check()
    try checkKeys()
    try checkRowSecurity()
    try restoreViews()
  }

  /// Switches to the role that owns the schema, if the login role is a member of it. Partitions then have the
  /// same owner, and every gateway can use them. Does nothing if the schema does not exist.
  private func takeOwnersRole() throws {
    // Since version 16, members of a role need a separate permission for SET ROLE.
    let right = connection.serverVersion >= 160_000 ? "SET" : "MEMBER"
    let owner = try connection.perform(
      """
      SELECT quote_ident(r.rolname) FROM pg_namespace n JOIN pg_roles r ON r.oid = n.nspowner
      WHERE n.nspname = 'hrgate' AND r.rolname <> current_user AND pg_has_role(n.nspowner, '\(right)')
      """)
    guard owner.count == 1, let role = owner[0, 0] else { return }
    try connection.perform("SET ROLE \(role)")
  }

  /// Returns the version of the schema, or 0 if it does not exist.
  private func version() throws -> Int {
    guard try connection.hasRelation("schema_version") else { return 0 }
    return try connection.perform("SELECT coalesce(max(version), 0) FROM hrgate.schema_version").number ?? 0
  }

  private func newer(_ version: Int) -> ExternalStoreError {
    ExternalStoreError(
      "the schema hrgate of PostgreSQL at \(address) is from a newer hrgate (version \(version); this one supports "
        + "\(schema.version)): update hrgate here", outlook: .lasting)
  }

  /// Applies all missing migrations in one transaction. If two gateways start at the same time, one waits for
  /// the other and then finds nothing left to migrate.
  private func migrate() throws {
    try connection.perform("BEGIN; SELECT pg_advisory_xact_lock(\(Self.lock))")
    do {
      // While this gateway waited for the lock, another one may have created the schema with another role.
      try takeOwnersRole()
      // `CREATE SCHEMA IF NOT EXISTS` requires the permission to create a schema even if it exists, so check
      // first.
      let isThere = try connection.perform("SELECT 1 FROM pg_namespace WHERE nspname = 'hrgate'").count == 1
      if !isThere { try connection.perform("CREATE SCHEMA hrgate") }
      try connection.perform(
        """
        CREATE TABLE IF NOT EXISTS hrgate.schema_version (
          version integer PRIMARY KEY,
          applied_at timestamptz NOT NULL DEFAULT now(),
          applied_by text NOT NULL DEFAULT current_user)
        """)
      // Read the version after taking the lock, because another gateway may have migrated the schema.
      let version = try version()
      for (index, step) in schema.steps.enumerated().dropFirst(version) {
        try connection.perform(step)
        try connection.perform("INSERT INTO hrgate.schema_version (version) VALUES (\(index + 1))")
      }
      try connection.perform("COMMIT")
    } catch {
      _ = try? connection.perform("ROLLBACK")
      // A schema, table or type with the same name exists that hrgate did not create.
      if case PostgreSQLError.server(let error) = error, ["42P06", "42P07", "42710"].contains(error.state) {
        throw ExternalStoreError(
          "PostgreSQL at \(address) has another schema hrgate: rename it "
            + "(ALTER SCHEMA hrgate RENAME TO …)", outlook: .lasting)
      }
      throw error
    }
  }

  /// Creates missing views. Permissions that were granted on them are lost.
  private func restoreViews() throws {
    let missing = try Schema.views.filter { try !connection.hasRelation($0.name) }
    guard !missing.isEmpty else { return }
    try connection.perform("BEGIN; SELECT pg_advisory_xact_lock(\(Self.lock))")
    do {
      for view in missing { try connection.perform(view.definition) }
      try connection.perform("COMMIT")
    } catch {
      _ = try? connection.perform("ROLLBACK")
      throw error
    }
  }

  /// Checks that row-level security does not apply to this role. It would silently hide rows from deletions
  /// and replacements.
  func checkRowSecurity() throws {
    let found = try connection.perform(
      """
      SELECT c.relname, quote_ident(current_user) FROM pg_class c
      WHERE c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = 'hrgate')
        AND c.relkind IN ('r', 'p') AND c.relrowsecurity AND row_security_active(c.oid)
      ORDER BY 1 LIMIT 1
      """)
    guard found.count == 1, let table = found[0, 0], let role = found[0, 1] else { return }
    throw ExternalStoreError(
      "row-level security of the table hrgate.\(table) of PostgreSQL at \(address) applies to \(role), which must "
        + "see and change every row: ALTER ROLE \(role) BYPASSRLS, or ALTER TABLE hrgate.\(table) DISABLE ROW LEVEL "
        + "SECURITY", outlook: .lasting)
  }

  /// Checks the columns of all tables, and reports the first one that was altered.
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

  /// Checks that each partition has its primary key, and reports the first one without it. Without the key,
  /// duplicates would not be detected.
  private func checkKeys() throws {
    let open = try connection.perform(
      """
      SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = (SELECT p.oid FROM pg_class p JOIN pg_namespace n ON n.oid = p.relnamespace
          WHERE n.nspname = 'hrgate' AND p.relname = 'sample')
        AND NOT EXISTS (
          SELECT FROM pg_index x
          WHERE x.indrelid = c.oid AND x.indisunique AND x.indisvalid AND x.indpred IS NULL
            AND x.indexprs IS NULL
            AND ARRAY(SELECT a.attname::text FROM pg_attribute a
                WHERE a.attrelid = c.oid AND a.attnum = ANY (x.indkey::int2[]) ORDER BY 1) = ARRAY['person', 'uuid'])
      ORDER BY 1 LIMIT 1
      """)
    guard open.count == 1, let table = open[0, 0] else { return }
    throw ExternalStoreError.changedSchema(
      "the key (uuid, person) of the table hrgate.\(table)", "PostgreSQL at \(address)")
  }
}

extension Connection {
  /// Returns whether the schema `hrgate` has a table or view with this name. Queries the catalog, because
  /// `to_regclass` may return a result that was cached before the lock was taken.
  func hasRelation(_ name: String) throws(PostgreSQLError) -> Bool { try isPartition(name) != nil }

  /// Returns whether a table is a partition, or `nil` if it does not exist.
  func isPartition(_ name: String) throws(PostgreSQLError) -> Bool? {
    let found = try perform(
      "SELECT relispartition FROM pg_class WHERE relname = $1 AND relnamespace = "
        + "(SELECT oid FROM pg_namespace WHERE nspname = 'hrgate')", [name])
    return found.count == 1 ? found[0, 0] == "t" : nil
  }
}
