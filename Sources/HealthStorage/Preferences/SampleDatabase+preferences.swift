import GRDB

extension SampleDatabase {
  /// Returns a characteristic of the user, such as the blood type, as a number; `nil` if it is not set or the
  /// application may not read it.
  /// - Parameters:
  ///   - type: The identifier of the characteristic's type, or the key of another value of the user.
  ///   - permission: The type that the application must be allowed to read; `nil` for `type` itself.
  package func characteristic(_ type: String, permittedAs permission: String? = nil) throws -> Int64? {
    let (value, reader) = try readNow { database -> (Int64?, String?) in
      guard try mayRead(permission ?? type, in: database) else { return (nil, nil) }
      let value = try Int64.fetchOne(
        database, sql: "SELECT value FROM characteristic WHERE type = ?", arguments: [type])
      return (value, try unrecordedReader(in: database))
    }
    if let reader { recordReadingNow(by: reader) }
    return value
  }

  /// - Parameter value: The value; `nil` to delete it.
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
  /// Returns the units in which the user wants to see values, by quantity type.
  package func preferredUnits() async throws -> [String: String] {
    try await read { database in
      let rows = try Row.fetchAll(database, sql: "SELECT type, symbol FROM preferred_unit")
      return try Dictionary(rows.map { (try $0.decode(atIndex: 0), try $0.decode(atIndex: 1)) }) {
        first, _ in first
      }
    }
  }

  /// - Parameter symbol: The unit; `nil` for the default of the user's region.
  package func setPreferredUnit(of type: String, to symbol: String?) async throws {
    try await write { database in
      try database.execute(sql: "DELETE FROM preferred_unit WHERE type = ?", arguments: [type])
      guard let symbol else { return }
      try database.execute(
        sql: "INSERT INTO preferred_unit (type, symbol) VALUES (?, ?)", arguments: [type, symbol])
    }
  }
}

/// A daily activity goal. It is valid from `day` until there is another goal for the same measure.
package struct ActivityGoalRecord: Hashable, Sendable {
  package var measure: String
  /// The first day: year · 10000 + month · 100 + day.
  package var day: Int64
  /// The goal; `nil` if there is no goal from this day on.
  package var value: Double?

  package init(measure: String, day: Int64, value: Double?) {
    self.measure = measure
    self.day = day
    self.value = value
  }
}

extension SampleDatabase {
  /// Returns all goals in the order of their days; `nil` if the application may not read activity summaries.
  /// - Parameter type: The type identifier of activity summaries.
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

  /// Stores a goal. Replaces the goal of the same measure and day.
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
