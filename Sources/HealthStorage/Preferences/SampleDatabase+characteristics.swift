import GRDB

extension SampleDatabase {
  /// Returns a characteristic of the user as a number; nil if it is not set, or the application may not read
  /// it.
  /// - Parameter type: the identifier of a characteristic type.
  package func characteristic(_ type: String) throws -> Int64? {
    try readNow { database in
      guard try mayRead(type, in: database) else { return nil }
      return try Int64.fetchOne(
        database, sql: "SELECT value FROM characteristic WHERE type = ?", arguments: [type])
    }
  }

  /// - Parameter value: nil to delete it.
  package func setCharacteristic(_ type: String, to value: Int64?) async throws {
    try await write { database in
      try database.execute(sql: "DELETE FROM characteristic WHERE type = ?", arguments: [type])
      guard let value else { return }
      try database.execute(
        sql: "INSERT INTO characteristic (type, value) VALUES (?, ?)", arguments: [type, value])
    }
  }
}
