import Foundation
import GRDB

extension SampleFilter {
  /// The SQL condition of the filter, ignoring permissions. For an application, use
  /// `SampleDatabase.condition(of:in:)`, which excludes samples that the application may not see.
  var conditionRegardlessOfPermission: SQLCondition { condition(ofType: nil, held: .always) }

  /// - Parameters:
  ///   - type: The type that all matching samples have because of an enclosing `all`; `nil` if unknown.
  ///   - held: A condition on the samples in containers. `holding` ignores samples that do not meet it.
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
    // `SampleDatabase.resolved(_:in:)` has replaced conditions on containers. If one is left, it matches
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

  /// Returns a condition on the end. Only `start` has an index. No sample of the type is longer than
  /// `longest`, so a sample that ends at `time` or later starts at `time - longest` or later. This additional
  /// condition lets SQLite use the index without changing the result.
  private static func ends(from time: Int64, ofType type: String?) -> SQLCondition {
    guard let type else { return SQLCondition(sql: "ifnull(end, start) >= ?", arguments: [time]) }
    return SQLCondition(
      sql: """
        (ifnull(end, start) >= ? \
        AND start >= ? - (SELECT longest FROM object_type WHERE identifier = ?))
        """,
      arguments: [time, time, type])
  }

  /// Passes all UUIDs as one blob, so that SQLite's limit of arguments does not apply.
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
