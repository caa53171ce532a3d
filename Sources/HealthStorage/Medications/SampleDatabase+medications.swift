package import Foundation
import GRDB

extension SampleDatabase {
  /// Returns the archived medications, in the order in which they were added.
  /// - Parameter type: The type for which the application needs permission. Without permission the result is
  ///   empty, as if there were no medications.
  package func medications(permittedAs type: String) async throws -> [Data] {
    try await read { database in
      guard try mayReadObjects(of: type, in: database) else { return [] }
      return try Data.fetchAll(database, sql: "SELECT archive FROM medication ORDER BY id")
    }
  }

  /// Adds, updates or removes a medication.
  /// - Parameters:
  ///   - identifier: The identifier of the medication.
  ///   - archive: The archived medication; `nil` to remove it.
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
