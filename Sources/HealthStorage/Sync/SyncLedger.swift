import Foundation
import GRDB

/// Access to the sync destinations of one owner: the user or a program. Other owners' destinations cannot be
/// accessed.
package struct SyncLedger: Sendable {
  /// The database, with full access, because sync data is not health data.
  let database: SampleDatabase
  /// The bundle identifier of a program; `nil` for the user.
  package let owner: String?

  package init(_ database: SampleDatabase, of owner: String?) {
    self.database = database
    self.owner = owner
  }

  // MARK: - Destinations

  /// Returns the destinations, sorted by name.
  package func destinations() async throws -> [SyncDestinationRecord] {
    try await database.read { database in
      try Row.fetchAll(
        database.cachedStatement(sql: "\(Self.columns) WHERE owner IS ? ORDER BY name"), arguments: [owner]
      ).map(Self.record)
    }
  }

  /// Returns the destination with a name; `nil` if it does not exist.
  package func destination(named name: String) async throws -> SyncDestinationRecord? {
    try await database.read { database in
      try Row.fetchOne(
        database, sql: "\(Self.columns) WHERE owner IS ? AND name = ?", arguments: [owner, name]
      ).map(Self.record)
    }
  }

  /// - Parameter marker: The marker that is already stored at the destination; `nil` for a new one.
  /// - Returns: `false` if a destination with this name already exists. It is not changed.
  package func add(
    _ destination: SyncDestinationRecord, marker: SyncMarkerRecord? = nil
  ) async throws -> Bool {
    try await database.write { database in
      let excluded = destination.excludedTypes.isEmpty ? nil : try Self.text(destination.excludedTypes)
      try database.execute(
        sql: """
          INSERT INTO sync_destination
            (owner, name, address, types, excluded_types, sources, earliest, person, gateway, secret_file, added,
             marker, marker_sequence)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ifnull(?, randomblob(16)), ?) ON CONFLICT DO NOTHING
          """,
        arguments: [
          owner, destination.name, destination.address, try destination.types.map(Self.text), excluded,
          try destination.sources.map(Self.text), destination.earliest, destination.person,
          destination.gateway, destination.secretFile, destination.added, marker?.id, marker?.sequence,
        ])
      return database.changesCount > 0
    }
  }

  /// Deletes a destination and its progress. Data that was sent stays at the destination.
  /// - Returns: `false` if there is no destination with this name.
  package func remove(named name: String) async throws -> Bool {
    guard let destination = try await destination(named: name) else { return false }
    try await database.write {
      try $0.execute(sql: "DELETE FROM sync_destination WHERE id = ?", arguments: [destination.id])
    }
    database.forgetLease(of: destination.id)
    return true
  }

  /// Resets a destination, so that everything is sent again: deletes its progress, counts and rejections, and
  /// creates a new marker.
  /// - Returns: `false` if there is no destination with this name.
  package func reset(named name: String) async throws -> Bool {
    try await change(named: name) { database, id in
      try database.execute(
        sql: """
          UPDATE sync_destination
          SET resets = resets + 1, reset_at = ?, marker = randomblob(16), marker_sequence = NULL WHERE id = ?
          """,
        arguments: [try SampleDatabase.lastChange(database), id])
      try database.execute(sql: "DELETE FROM sync_cursor WHERE destination = ?", arguments: [id])
      try database.execute(sql: "DELETE FROM sync_refusal WHERE destination = ?", arguments: [id])
      try database.execute(sql: "DELETE FROM sync_rejection WHERE destination = ?", arguments: [id])
    }
  }

  /// Makes all rejected records due to be sent again at once.
  /// - Returns: `false` if there is no destination with this name.
  package func resetDeadLetters(named name: String) async throws -> Bool {
    try await change(named: name) { database, id in
      try database.execute(
        sql: "UPDATE sync_refusal SET attempts = 0, tried = 0 WHERE destination = ?", arguments: [id])
    }
  }

  private func change(
    named name: String, _ body: @escaping @Sendable (Database, Int64) throws -> Void
  ) async throws -> Bool {
    try await database.write { database in
      guard
        let id = try Int64.fetchOne(
          database, sql: "SELECT id FROM sync_destination WHERE owner IS ? AND name = ?",
          arguments: [owner, name])
      else { return false }
      try body(database, id)
      // Do not delay the retry because of an earlier error.
      try Self.forgetFailure(id, in: database)
      return true
    }
  }

  // MARK: - The store

  /// Returns the store's random ID. It is created with the store and never changes. Copies of the store have
  /// the same ID.
  package func storeIdentity() async throws -> String {
    try await database.read { try Self.storeIdentity($0) }
  }

  static func storeIdentity(_ database: Database) throws -> String {
    guard let token = try String.fetchOne(database, sql: "SELECT token FROM store_identity") else {
      throw StorageError.damagedRow
    }
    return token
  }

  // MARK: - The change log

  /// Returns a stream with an element each time something may have been committed.
  package func commits(_ priority: CommitPriority = .prompt) -> AsyncStream<Void> {
    database.commits(priority)
  }

  /// Returns the last position in the change log.
  package func lastChange() async throws -> Int64 {
    try await database.read { try SampleDatabase.lastChange($0) }
  }

  /// Returns the types that samples were ever stored for, sorted by identifier.
  package func storedTypes() async throws -> [String] {
    try await database.read {
      try String.fetchAll($0, sql: "SELECT identifier FROM object_type ORDER BY identifier")
    }
  }

  // MARK: - Rows

  private static let columns = """
    SELECT id, name, address, types, sources, earliest, person, gateway, secret_file, added, last_success,
      failure, failing_since, failure_lasts, (SELECT token FROM store_identity), excluded_types,
      live_failure, live_failing_since, live_failure_lasts
    FROM sync_destination
    """

  private static func record(_ row: Row) throws -> SyncDestinationRecord {
    var record = try SyncDestinationRecord(
      name: row.decode(atIndex: 1), address: row.decode(atIndex: 2), types: list(row.decode(atIndex: 3)),
      sources: list(row.decode(atIndex: 4)), earliest: row.decode(atIndex: 5), person: row.decode(atIndex: 6),
      gateway: row.decode(atIndex: 7), secretFile: row.decode(atIndex: 8), added: row.decode(atIndex: 9))
    record.id = try row.decode(atIndex: 0)
    record.lastSuccess = try row.decode(atIndex: 10)
    record.storeIdentity = try row.decode(atIndex: 14)
    record.failure = try failure(row, at: 11)
    record.excludedTypes = try list(row.decode(atIndex: 15)) ?? []
    record.liveFailure = try failure(row, at: 16)
    return record
  }

  /// - Parameter index: The index of the first of the three columns.
  private static func failure(_ row: Row, at index: Int) throws -> SyncDestinationRecord.Failure? {
    guard let text = try row.decode(atIndex: index) as String? else { return nil }
    return SyncDestinationRecord.Failure(
      text: text, since: try row.decode(atIndex: index + 1), lasts: try row.decode(atIndex: index + 2))
  }

  private static func text(_ list: [String]) throws -> String {
    String(decoding: try JSONEncoder().encode(list), as: UTF8.self)
  }

  private static func list(_ text: String?) throws -> [String]? {
    guard let text else { return nil }
    guard let list = try? JSONDecoder().decode([String].self, from: Data(text.utf8)) else {
      throw StorageError.damagedRow
    }
    return list
  }
}
