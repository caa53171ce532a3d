import GRDB

/// What happened in the change log since a place in it, without the samples.
package struct ChangedTypes: Sendable {
  /// Of which types a matching sample was saved, or any sample deleted.
  package var types: Set<String>
  /// Where the next question begins.
  package var position: Int64
}

extension SampleDatabase {
  /// Where the change log ends now.
  package func lastChange() async throws -> Int64 {
    try await read { database in
      // A program does not wait for a type that it never asked for.
      _ = try Visibility.of(admission, in: database)
      return try Self.lastChange(database)
    }
  }

  /// What changed after a place in the log. The work grows with the changes, not with the store.
  /// - Parameter filters: for each type its filter; of deleted samples nothing but the type is left to match.
  package func changedTypes(
    _ filters: [(type: String, filter: SampleFilter)], after position: Int64
  ) async throws -> ChangedTypes {
    try await read { database in
      let last = try Self.lastChange(database)
      guard last > position else { return ChangedTypes(types: [], position: position) }
      let visible = try Visibility.of(admission, in: database)
      var types: Set<String> = []
      for (type, filter) in filters where !types.contains(type) {
        let filter = try resolved(filter, after: position, in: database)
        let isChanged = try Self.isChanged(type, filter, among: visible, after: position, in: database)
        if isChanged { types.insert(type) }
      }
      return ChangedTypes(types: types, position: last)
    }
  }

  static func lastChange(_ database: Database) throws -> Int64 {
    try Int64.fetchOne(
      database.cachedStatement(sql: "SELECT seq FROM sqlite_sequence WHERE name = 'sample'")) ?? 0
  }

  private static func isChanged(
    _ type: String, _ filter: SampleFilter, among visible: Visibility?, after position: Int64,
    in database: Database
  ) throws -> Bool {
    let condition = SampleFilter.all([.type(type), filter]).condition(among: visible)
    let deletions = visible?.deletions ?? .always
    let samples = try SampleTables(in: database).union([position] + condition.arguments) {
      "SELECT 1 FROM \($0.byChange) WHERE id > ? AND \(condition.sql)"
    }
    return try Bool.fetchOne(
      database,
      sql: """
        SELECT EXISTS (\(samples.sql))
          OR EXISTS (SELECT 1 FROM deleted_object
            WHERE id > ? AND type = (SELECT id FROM object_type WHERE identifier = ?)
              AND \(deletions.sql))
        """,
      arguments: samples.arguments + [position, type] + deletions.arguments) ?? false
  }
}
