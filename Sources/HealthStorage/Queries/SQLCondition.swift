import Foundation
import GRDB

/// An SQL condition on the table `sample`, with its arguments.
struct SQLCondition {
  var sql: String
  var arguments: StatementArguments = []
}

extension SQLCondition {
  static let always = SQLCondition(sql: "1")
  static let never = SQLCondition(sql: "0")

  /// The negation, in which NULL counts as false. For example, a condition that names a type without stored
  /// samples is NULL: no sample matches it, so all samples must match its negation.
  var negated: SQLCondition {
    SQLCondition(sql: "NOT ifnull(\(sql), 0)", arguments: arguments)
  }

  static func && (one: SQLCondition, other: SQLCondition) -> SQLCondition {
    other.isAlways ? one : all([one, other])
  }

  /// Whether the condition is ``always``.
  var isAlways: Bool { sql == Self.always.sql }

  static func all(_ parts: [SQLCondition]) -> SQLCondition { join(parts, " AND ", empty: always) }
  static func any(_ parts: [SQLCondition]) -> SQLCondition { join(parts, " OR ", empty: never) }

  private static func join(_ parts: [SQLCondition], _ word: String, empty: SQLCondition) -> SQLCondition {
    guard !parts.isEmpty else { return empty }
    return SQLCondition(
      sql: balanced(parts[...], word),
      arguments: parts.reduce(into: StatementArguments()) { $0 += $1.arguments })
  }

  /// Combines the parts as a balanced tree, because SQLite limits the depth of an expression. A flat
  /// expression would be as deep as the number of parts.
  private static func balanced(_ parts: ArraySlice<SQLCondition>, _ word: String) -> String {
    guard parts.count > 8 else { return "(" + parts.map(\.sql).joined(separator: word) + ")" }
    let middle = parts.startIndex + parts.count / 2
    return "(" + balanced(parts[..<middle], word) + word + balanced(parts[middle...], word) + ")"
  }

  /// Creates a list for `IN`. The strings are passed as one JSON argument, so that SQLite's limit of
  /// arguments does not apply.
  static func list(of texts: Set<String>) -> SQLCondition {
    let json = (try? JSONEncoder().encode(texts.sorted())) ?? Data("[]".utf8)
    return SQLCondition(
      sql: "(SELECT value FROM json_each(?))", arguments: [String(decoding: json, as: UTF8.self)])
  }

  /// Creates a list of row IDs for `IN`, as one JSON argument.
  static func list(of rows: [Int64]) -> SQLCondition {
    SQLCondition(
      sql: "(SELECT value FROM json_each(?))",
      arguments: ["[" + rows.map(String.init).joined(separator: ",") + "]"])
  }
}
