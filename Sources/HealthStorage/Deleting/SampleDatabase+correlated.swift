package import Foundation
import GRDB

extension SampleDatabase {
  /// Returns the UUIDs, plus those of samples that must be deleted along with them: the samples in a
  /// correlation, and both values of a blood pressure if one is deleted, because half of it is meaningless. A
  /// sample in another correlation, such as a meal, can be deleted alone.
  package func withCorrelated(_ uuids: Set<UUID>) async throws -> Set<UUID> {
    try await read { database in
      let condition = SampleFilter.uuids(uuids).conditionRegardlessOfPermission
      // The samples in a correlation are the ones that were saved with it. They are always rows, never in
      // compressed segments.
      func containers(_ type: String) -> String {
        """
        SELECT sample.id FROM sample JOIN object_type ON object_type.id = sample.type
        WHERE object_type.identifier GLOB 'HKCorrelationTypeIdentifier\(type)' AND sample.id
        """
      }
      let rows = try Row.fetchAll(
        database,
        sql: """
          WITH named AS (SELECT id FROM sample WHERE \(condition.sql)),
            correlation AS (
              \(containers("*")) IN (SELECT id FROM named)
              UNION \(containers("BloodPressure")) IN (
                SELECT container FROM membership WHERE member IN (SELECT id FROM named)))
          SELECT uuid FROM sample WHERE id IN (SELECT id FROM correlation)
          UNION SELECT uuid FROM sample
            WHERE id IN (SELECT member FROM membership WHERE container IN (SELECT id FROM correlation))
          """,
        arguments: condition.arguments)
      return try uuids.union(rows.map { try $0.decode(atIndex: 0) })
    }
  }
}
