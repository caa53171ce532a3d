import Foundation
import GRDB

// Conditions on what a sample says and what it belongs to.

extension SampleFilter {
  /// A value in the unit of the question is compared as it stands; of others the interpretation knows how
  /// they lie.
  static func condition(_ comparison: ValueComparison, _ value: Double, _ unit: String) -> SQLCondition {
    SQLCondition(
      sql: """
        CASE WHEN unit IS NULL THEN 0
        WHEN unit = (SELECT id FROM unit WHERE symbol = ?) THEN value \(comparison.rawValue) ?
        ELSE \(Interpretation.FunctionName.order)(
          value, (SELECT symbol FROM unit WHERE id = sample.unit), ?, ?) \(comparison.rawValue) 0 END
        """,
      arguments: [unit, value, value, unit])
  }

  /// Once for each distinct dictionary, not for each sample.
  static func condition(metadata condition: EncodedCondition) -> SQLCondition {
    SQLCondition(
      sql: """
        ifnull(metadata IN (SELECT id FROM metadata
        WHERE \(Interpretation.FunctionName.metadata)(encoded, ?)), 0)
        """,
      arguments: [condition.bytes])
  }

  /// CASE, since AND may be evaluated in any order and an archive is costly to read.
  static func condition(archivesOf types: Set<String>, _ condition: EncodedCondition) -> SQLCondition {
    let list = SQLCondition.list(of: types)
    return SQLCondition(
      sql: """
        CASE WHEN type IN (SELECT id FROM object_type WHERE identifier IN \(list.sql))
        THEN \(Interpretation.FunctionName.archive)(
          (SELECT archive FROM archived_sample WHERE sample = sample.id), ?) ELSE 0 END
        """,
      arguments: list.arguments + [condition.bytes])
  }

  static func condition(membersOf container: UUID) -> SQLCondition {
    SQLCondition(
      sql: """
        sample.id IN (SELECT member FROM membership
        WHERE container = (SELECT id FROM sample WHERE uuid = ?))
        """,
      arguments: [container])
  }

  static func condition(membersOf container: UUID, part: UUID) -> SQLCondition {
    SQLCondition(
      sql: """
        sample.id IN (SELECT member FROM membership
        WHERE container = (SELECT id FROM sample WHERE uuid = ?) AND part = ?)
        """,
      arguments: [container, part])
  }

  static func condition(heldBy types: Set<String>) -> SQLCondition {
    let list = SQLCondition.list(of: types)
    return SQLCondition(
      sql: """
        EXISTS (SELECT 1 FROM membership JOIN sample AS holder ON holder.id = membership.container
        WHERE membership.member = sample.id
        AND holder.type IN (SELECT id FROM object_type WHERE identifier IN \(list.sql)))
        """,
      arguments: list.arguments)
  }

  static func condition(holding member: SQLCondition) -> SQLCondition {
    SQLCondition(
      sql: """
        sample.id IN (SELECT container FROM membership
        WHERE member IN (SELECT id FROM sample WHERE \(member.sql)))
        """,
      arguments: member.arguments)
  }
}
