import GRDB

extension SampleDatabase {
  /// Returns the units that the user chose, by the identifiers of quantity types.
  package func preferredUnits() async throws -> [String: String] {
    try await read { database in
      let rows = try Row.fetchAll(database, sql: "SELECT type, symbol FROM preferred_unit")
      return try Dictionary(rows.map { (try $0.decode(atIndex: 0), try $0.decode(atIndex: 1)) }) {
        first, _ in first
      }
    }
  }

  /// - Parameter symbol: nil for the default unit of the user's region.
  package func setPreferredUnit(of type: String, to symbol: String?) async throws {
    try await write { database in
      try database.execute(sql: "DELETE FROM preferred_unit WHERE type = ?", arguments: [type])
      guard let symbol else { return }
      try database.execute(
        sql: "INSERT INTO preferred_unit (type, symbol) VALUES (?, ?)", arguments: [type, symbol])
    }
  }
}
