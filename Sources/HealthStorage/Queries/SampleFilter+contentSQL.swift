import Foundation
import GRDB
import HealthFormats

// SQL conditions on the value, the metadata and the container of a sample.

extension SampleFilter {
  /// Compares the value directly if it is in the requested unit. Otherwise an SQL function converts it.
  static func condition(_ comparison: ValueComparison, _ value: Double, _ unit: String) -> SQLCondition {
    SQLCondition(
      sql: """
        CASE WHEN unit IS NULL THEN 0
        WHEN unit = (SELECT id FROM unit WHERE symbol = ?) THEN value \(comparison.rawValue) ?
        ELSE \(QuantityOrderFunction.name)(
          value, (SELECT symbol FROM unit WHERE id = sample.unit), ?, ?) \(comparison.rawValue) 0 END
        """,
      arguments: [unit, value, value, unit])
  }

  /// Evaluates the condition once per row of `metadata`, not per sample.
  static func condition(metadata condition: EncodedCondition) -> SQLCondition {
    SQLCondition(
      sql: """
        ifnull(metadata IN (SELECT id FROM metadata
        WHERE \(Interpretation.FunctionName.metadata)(encoded, ?)), 0)
        """,
      arguments: [condition.bytes])
  }

  /// Uses CASE, which evaluates its parts in order, unlike AND. This matters because reading an archive is
  /// expensive.
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

/// An SQL function that compares two quantities. Arguments: value, unit, value, unit. Result: less than 0, 0,
/// or greater than 0; NULL if the units cannot be compared.
enum QuantityOrderFunction {
  static let name = "hrgate_quantity_order"

  static var function: DatabaseFunction {
    DatabaseFunction(name, argumentCount: 4, pure: true) { arguments in
      guard let one = quantity(arguments[0], arguments[1]), let other = quantity(arguments[2], arguments[3])
      else { return nil }
      return one.order(to: other)?.rawValue
    }
  }

  private static func quantity(_ value: DatabaseValue, _ unit: DatabaseValue) -> WrittenQuantity? {
    guard let value = Double.fromDatabaseValue(value), let unit = String.fromDatabaseValue(unit) else {
      return nil
    }
    return WrittenQuantity(value, unit)
  }
}
