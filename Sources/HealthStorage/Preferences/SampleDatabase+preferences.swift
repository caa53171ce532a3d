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

/// A daily goal, valid from a day until the next goal of the same measure.
package struct ActivityGoalRecord: Hashable, Sendable {
  package var measure: String
  /// year · 10000 + month · 100 + day.
  package var day: Int64
  /// nil if the goal ends on that day.
  package var value: Double?

  package init(measure: String, day: Int64, value: Double?) {
    self.measure = measure
    self.day = day
    self.value = value
  }
}

extension SampleDatabase {
  /// Returns all goals in the order of their days; nil if the application may not read activity summaries.
  /// - Parameter type: the identifier of the type of activity summaries.
  package func activityGoals(of type: String) async throws -> [ActivityGoalRecord]? {
    try await read { database in
      guard try mayRead(type, in: database) else { return nil }
      return try Row.fetchAll(database, sql: "SELECT measure, day, value FROM activity_goal ORDER BY day")
        .map {
          try ActivityGoalRecord(
            measure: $0.decode(atIndex: 0), day: $0.decode(atIndex: 1), value: $0.decode(atIndex: 2))
        }
    }
  }

  /// Stores the goal of a measure from a day on; replaces an earlier value for the same day.
  package func setActivityGoal(_ goal: ActivityGoalRecord) async throws {
    try await write { database in
      try database.execute(
        sql: """
          INSERT INTO activity_goal (measure, day, value) VALUES (?, ?, ?)
          ON CONFLICT (measure, day) DO UPDATE SET value = excluded.value
          """,
        arguments: [goal.measure, goal.day, goal.value])
    }
  }
}
