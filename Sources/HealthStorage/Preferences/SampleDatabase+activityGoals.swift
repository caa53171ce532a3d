import GRDB

/// A daily goal, from a day on until the next goal of the same measure.
package struct ActivityGoalRecord: Hashable, Sendable {
  package var measure: String
  /// year · 10000 + month · 100 + day.
  package var day: Int64
  /// nil where the goal ends.
  package var value: Double?

  package init(measure: String, day: Int64, value: Double?) {
    self.measure = measure
    self.day = day
    self.value = value
  }
}

extension SampleDatabase {
  /// All goals, in the order of their days; nil if an application may not read what they are goals of.
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

  /// One goal for each measure and day; a later one replaces it.
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
