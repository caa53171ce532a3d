import GRDB

extension SampleDatabase {
  /// Records that a process of an application is running. Removes processes that have ended.
  package func enter(
    _ process: RunningProcess, of application: ApplicationRecord, gone: [RunningProcess]
  ) async throws {
    try await write { database in
      let id = try Self.application(
        application.bundleIdentifier, name: application.name, renaming: false, in: database)
      for old in gone {
        try database.execute(
          sql: "DELETE FROM running_application WHERE application = ? AND process = ?",
          arguments: [id, old.process])
      }
      try database.execute(
        sql: "INSERT OR REPLACE INTO running_application (application, process, started) VALUES (?, ?, ?)",
        arguments: [id, process.process, process.started])
    }
  }

  /// Returns the recorded processes of an application.
  package func processes(of application: String) async throws -> [RunningProcess] {
    try await read { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT process, started FROM running_application
          WHERE application = (SELECT id FROM application WHERE identifier = ?)
          """,
        arguments: [application]
      ).map { try RunningProcess(process: $0.decode(atIndex: 0), started: $0.decode(atIndex: 1)) }
    }
  }
}
