import Foundation
import GRDB

extension SampleFilter {
  /// The condition of the filter, without permissions. Queries for an application use
  /// `SampleDatabase.condition(of:in:)` instead, which leaves out invisible samples.
  var conditionRegardlessOfPermission: SQLCondition { condition(ofType: nil, held: .always) }

  /// - Parameters:
  ///   - type: the type that an enclosing `all` requires, if any.
  ///   - held: the members of containers that conditions may refer to.
  func condition(ofType type: String?, held: SQLCondition) -> SQLCondition {
    switch self {
    case .everything: .always
    case .nothing: .never
    case .type(let identifier):
      SQLCondition(
        sql: "type = (SELECT id FROM object_type WHERE identifier = ?)", arguments: [identifier])
    case .uuids(let uuids): Self.condition(uuids)
    case .startsBefore(let time): SQLCondition(sql: "start < ?", arguments: [time])
    case .startsFrom(let time): SQLCondition(sql: "start >= ?", arguments: [time])
    case .endsBefore(let time): SQLCondition(sql: "ifnull(end, start) < ?", arguments: [time])
    case .endsFrom(let time): Self.ends(from: time, ofType: type)
    case .storedAfter(let position): SQLCondition(sql: "id > ?", arguments: [position])
    case .category(let comparison, let value):
      SQLCondition(
        sql: "(unit IS NULL AND ifnull(value \(comparison.rawValue) ?, 0))", arguments: [value])
    case .quantity(let comparison, let value, let unit): Self.condition(comparison, value, unit)
    case .sources(let identifiers): Self.condition(sources: identifiers)
    case .revisions(let patterns): Self.condition(revisions: patterns)
    case .devices(let devices): Self.condition(devices: devices)
    case .holding(let member):
      Self.condition(holding: member.condition(ofType: nil, held: held) && held)
    case .deviceField(let field, let texts): Self.condition(field, texts)
    case .metadata(let condition): Self.condition(metadata: condition)
    case .archived(let types, let condition): Self.condition(archivesOf: types, condition)
    // Conditions on containers have been replaced by `SampleDatabase.resolved(_:in:)`; any that remain match
    // nothing.
    case .container: .never
    case .members(let container): Self.condition(membersOf: container)
    case .related(let container, let part): Self.condition(membersOf: container, part: part)
    case .held(let types): Self.condition(heldBy: types)
    case .all(let parts):
      .all(
        parts.conditions(ofType: parts.lazy.compactMap(\.demandedType).first ?? type, held: held))
    case .any(let parts): .any(parts.conditions(ofType: type, held: held))
    case .not(let part): part.condition(ofType: type, held: held).negated
    }
  }

  private var demandedType: String? {
    guard case .type(let identifier) = self else { return nil }
    return identifier
  }

  /// Only `start` is indexed. No sample of a type is longer than its `longest`, so a sample that ends at or
  /// after a time cannot start earlier than `longest` before that time. This bound lets SQLite use the index
  /// without changing the result.
  private static func ends(from time: Int64, ofType type: String?) -> SQLCondition {
    guard let type else { return SQLCondition(sql: "ifnull(end, start) >= ?", arguments: [time]) }
    return SQLCondition(
      sql: """
        (ifnull(end, start) >= ? \
        AND start >= ? - (SELECT longest FROM object_type WHERE identifier = ?))
        """,
      arguments: [time, time, type])
  }

  /// Passes all UUIDs in one blob, so that SQLite's limit on variables does not apply.
  private static func condition(_ uuids: Set<UUID>) -> SQLCondition {
    guard !uuids.isEmpty else { return .never }
    var bytes = Data(capacity: 16 * uuids.count)
    for uuid in uuids { withUnsafeBytes(of: uuid.uuid) { bytes.append(contentsOf: $0) } }
    return SQLCondition(
      sql: """
        uuid IN (WITH RECURSIVE place(n) AS (VALUES (0) UNION ALL SELECT n + 1 FROM place WHERE n + 1 < ?)
        SELECT substr(?, n * 16 + 1, 16) FROM place)
        """,
      arguments: [uuids.count, bytes])
  }
}

extension [SampleFilter] {
  fileprivate func conditions(ofType type: String?, held: SQLCondition) -> [SQLCondition] {
    map { $0.condition(ofType: type, held: held) }
  }
}
