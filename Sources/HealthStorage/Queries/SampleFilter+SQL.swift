import Foundation
import GRDB

/// A condition on `sample` and the values bound in it.
struct SQLCondition {
  var sql: String
  var arguments: StatementArguments = []
}

extension SampleFilter {
  var condition: SQLCondition { condition(ofType: nil) }

  /// - Parameter type: the object type that an enclosing `all` demands, if one does.
  private func condition(ofType type: String?) -> SQLCondition {
    switch self {
    case .everything: SQLCondition(sql: "1")
    case .nothing: SQLCondition(sql: "0")
    case .type(let identifier):
      SQLCondition(
        sql: "type = (SELECT id FROM object_type WHERE identifier = ?)", arguments: [identifier])
    case .uuids(let uuids): Self.condition(uuids)
    case .startsBefore(let time): SQLCondition(sql: "start < ?", arguments: [time])
    case .startsFrom(let time): SQLCondition(sql: "start >= ?", arguments: [time])
    case .endsBefore(let time): SQLCondition(sql: "ifnull(end, start) < ?", arguments: [time])
    case .endsFrom(let time): Self.ends(from: time, ofType: type)
    case .category(let comparison, let value):
      SQLCondition(
        sql: "(unit IS NULL AND ifnull(value \(comparison.rawValue) ?, 0))", arguments: [value])
    case .sources(let identifiers): Self.condition(sources: identifiers)
    case .devices(let devices): Self.condition(devices: devices)
    case .holding(let member):
      Self.condition(holding: member.condition)
    case .all(let parts):
      Self.join(parts, " AND ", empty: "1", ofType: parts.lazy.compactMap(\.demandedType).first ?? type)
    case .any(let parts): Self.join(parts, " OR ", empty: "0", ofType: type)
    case .not(let part): part.condition(ofType: type).negated
    }
  }

  private var demandedType: String? {
    guard case .type(let identifier) = self else { return nil }
    return identifier
  }

  private static func join(
    _ parts: [SampleFilter], _ word: String, empty: String, ofType type: String?
  ) -> SQLCondition {
    guard !parts.isEmpty else { return SQLCondition(sql: empty) }
    let conditions = parts.map { $0.condition(ofType: type) }
    return SQLCondition(
      sql: "(" + conditions.map(\.sql).joined(separator: word) + ")",
      arguments: conditions.reduce(into: StatementArguments()) { $0 += $1.arguments })
  }

  /// Only `start` is indexed. Within a type no sample is longer than its `longest`, so whatever ends at or after
  /// a time starts no earlier than that much before it: a bound on the index that changes no answer.
  private static func ends(from time: Int64, ofType type: String?) -> SQLCondition {
    guard let type else { return SQLCondition(sql: "ifnull(end, start) >= ?", arguments: [time]) }
    return SQLCondition(
      sql: """
        (ifnull(end, start) >= ? \
        AND start >= ? - (SELECT longest FROM object_type WHERE identifier = ?))
        """,
      arguments: [time, time, type])
  }

  /// All UUIDs travel in one blob, so that their number is not limited by SQLite's number of variables.
  private static func condition(_ uuids: Set<UUID>) -> SQLCondition {
    guard !uuids.isEmpty else { return SQLCondition(sql: "0") }
    var bytes = Data(capacity: 16 * uuids.count)
    for uuid in uuids { withUnsafeBytes(of: uuid.uuid) { bytes.append(contentsOf: $0) } }
    return SQLCondition(
      sql: """
        uuid IN (WITH RECURSIVE place(n) AS (VALUES (0) UNION ALL SELECT n + 1 FROM place WHERE n + 1 < ?)
        SELECT substr(?, n * 16 + 1, 16) FROM place)
        """,
      arguments: [uuids.count, bytes])
  }

  private static func condition(sources: Set<String>) -> SQLCondition {
    guard !sources.isEmpty else { return SQLCondition(sql: "0") }
    let marks = Array(repeating: "?", count: sources.count).joined(separator: ", ")
    return SQLCondition(
      sql: """
        provenance IN (SELECT provenance.id FROM provenance
        JOIN source_revision ON source_revision.id = provenance.source_revision
        JOIN source ON source.id = source_revision.source WHERE source.bundle_identifier IN (\(marks)))
        """,
      arguments: StatementArguments(sources))
  }

  private static func condition(holding member: SQLCondition) -> SQLCondition {
    SQLCondition(
      sql: """
        id IN (SELECT container FROM membership WHERE member IN (SELECT id FROM sample WHERE \(member.sql)))
        """,
      arguments: member.arguments)
  }

  private static func condition(devices: Set<DeviceRecord>) -> SQLCondition {
    guard !devices.isEmpty else { return SQLCondition(sql: "0") }
    let match = "(" + DeviceRecord.columns.map { "device.\($0) IS ?" }.joined(separator: " AND ") + ")"
    let matches = Array(repeating: match, count: devices.count).joined(separator: " OR ")
    return SQLCondition(
      sql: """
        provenance IN (SELECT provenance.id FROM provenance
        JOIN device ON device.id = provenance.device WHERE \(matches))
        """,
      arguments: StatementArguments(devices.flatMap(\.fields)))
  }
}

extension SQLCondition {
  /// SQL's NOT leaves NULL as it is (a type that was never stored has no id); absent means no match, its negation
  /// a match.
  fileprivate var negated: SQLCondition {
    SQLCondition(sql: "NOT ifnull(\(sql), 0)", arguments: arguments)
  }
}
