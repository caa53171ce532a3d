package import Foundation
import GRDB

extension SampleDatabase {
  /// The archives of the medications, in the order in which they were added.
  /// - Parameter type: under which the user decides whether an application may read them. One that may not
  ///   finds none, as if there were none.
  package func medications(permittedAs type: String) async throws -> [Data] {
    try await read { database in
      guard try mayReadObjects(of: type, in: database) else { return [] }
      return try Data.fetchAll(database, sql: "SELECT archive FROM medication ORDER BY id")
    }
  }

  /// Adds a medication, or changes what is kept of it.
  /// - Parameters:
  ///   - identifier: of the medication, whoever takes it.
  ///   - archive: nil to stop keeping it.
  package func setMedication(_ identifier: String, to archive: Data?) async throws {
    try await write { database in
      guard let archive else {
        return try database.execute(
          sql: "DELETE FROM medication WHERE identifier = ?", arguments: [identifier])
      }
      try database.execute(
        sql: """
          INSERT INTO medication (identifier, archive) VALUES (?, ?)
          ON CONFLICT (identifier) DO UPDATE SET archive = excluded.archive
          """,
        arguments: [identifier, archive])
    }
  }
}
