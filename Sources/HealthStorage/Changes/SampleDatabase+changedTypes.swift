import GRDB

/// The sample types that changed after a position in the change log.
package struct ChangedTypes: Sendable {
  /// The types for which a matching sample was saved or any sample was deleted.
  package var types: Set<String>
  /// The position to pass to the next query.
  package var position: Int64
}

extension SampleDatabase {
  /// Returns the last position in the change log.
  package func lastChange() async throws -> Int64 {
    try await read { database in
      // If the user was never asked about one of the types, throw `.undecided`; otherwise the application
      // would wait forever.
      _ = try Visibility.of(admission, in: database)
      return try Self.lastChange(database)
    }
  }

  /// Returns the sample types that changed after a position in the change log. The cost depends on the number
  /// of changes, not on the size of the store.
  /// - Parameter filters: A filter for each type. For deletions, only the type is compared.
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
