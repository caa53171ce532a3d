import Foundation
import GRDB

/// A condition on `sample` and the values bound in it.
struct SQLCondition {
  var sql: String
  var arguments: StatementArguments = []
}

extension SQLCondition {
  static let always = SQLCondition(sql: "1")
  static let never = SQLCondition(sql: "0")

  /// SQL's NOT leaves NULL as it is (a type that was never stored has no id); absent means no match, its
  /// negation a match.
  var negated: SQLCondition {
    SQLCondition(sql: "NOT ifnull(\(sql), 0)", arguments: arguments)
  }

  static func && (one: SQLCondition, other: SQLCondition) -> SQLCondition {
    other.isAlways ? one : all([one, other])
  }

  /// Whether it is the one that holds of everything.
  var isAlways: Bool { sql == Self.always.sql }

  static func all(_ parts: [SQLCondition]) -> SQLCondition { join(parts, " AND ", empty: always) }
  static func any(_ parts: [SQLCondition]) -> SQLCondition { join(parts, " OR ", empty: never) }

  private static func join(_ parts: [SQLCondition], _ word: String, empty: SQLCondition) -> SQLCondition {
    guard !parts.isEmpty else { return empty }
    return SQLCondition(
      sql: balanced(parts[...], word),
      arguments: parts.reduce(into: StatementArguments()) { $0 += $1.arguments })
  }

  /// SQLite limits the depth of an expression, and a chain of ANDs is as deep as it is long: halves of halves
  /// are not.
  private static func balanced(_ parts: ArraySlice<SQLCondition>, _ word: String) -> String {
    guard parts.count > 8 else { return "(" + parts.map(\.sql).joined(separator: word) + ")" }
    let middle = parts.startIndex + parts.count / 2
    return "(" + balanced(parts[..<middle], word) + word + balanced(parts[middle...], word) + ")"
  }

  /// The texts in one argument, so that their number is not limited by SQLite's number of variables; for
  /// `IN`.
  static func list(of texts: Set<String>) -> SQLCondition {
    let json = (try? JSONEncoder().encode(texts.sorted())) ?? Data("[]".utf8)
    return SQLCondition(
      sql: "(SELECT value FROM json_each(?))", arguments: [String(decoding: json, as: UTF8.self)])
  }

  /// The same for row ids.
  static func list(of rows: [Int64]) -> SQLCondition {
    SQLCondition(
      sql: "(SELECT value FROM json_each(?))",
      arguments: ["[" + rows.map(String.init).joined(separator: ",") + "]"])
  }
}
