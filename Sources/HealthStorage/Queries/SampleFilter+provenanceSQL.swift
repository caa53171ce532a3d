import GRDB

// SQL conditions on the source and device of a sample. They search the small tables first, then select
// samples by the IDs found there.

extension SampleFilter {
  static func condition(sources: Set<String>) -> SQLCondition {
    guard !sources.isEmpty else { return .never }
    let list = SQLCondition.list(of: sources)
    return ofRevisions(
      SQLCondition(sql: "source.bundle_identifier IN \(list.sql)", arguments: list.arguments))
  }

  static func condition(revisions patterns: Set<RevisionPattern>) -> SQLCondition {
    patterns.isEmpty ? .never : ofRevisions(.any(patterns.map(\.condition)))
  }

  private static func ofRevisions(_ condition: SQLCondition) -> SQLCondition {
    SQLCondition(
      sql: """
        provenance IN (SELECT provenance.id FROM provenance
        JOIN source_revision ON source_revision.id = provenance.source_revision
        JOIN source ON source.id = source_revision.source WHERE \(condition.sql))
        """,
      arguments: condition.arguments)
  }

  static func condition(devices: Set<DeviceRecord>) -> SQLCondition {
    let match = "(" + DeviceRecord.columns.map { "device.\($0) IS ?" }.joined(separator: " AND ") + ")"
    return ofDevices(
      .any(devices.map { SQLCondition(sql: match, arguments: StatementArguments($0.fields)) }))
  }

  static func condition(_ field: DeviceRecord.Field, _ texts: Set<String>) -> SQLCondition {
    guard !texts.isEmpty else { return ofDevices(SQLCondition(sql: "device.\(field.rawValue) IS NULL")) }
    let list = SQLCondition.list(of: texts)
    return ofDevices(
      SQLCondition(sql: "device.\(field.rawValue) IN \(list.sql)", arguments: list.arguments))
  }

  private static func ofDevices(_ condition: SQLCondition) -> SQLCondition {
    SQLCondition(
      sql: """
        provenance IN (SELECT provenance.id FROM provenance
        JOIN device ON device.id = provenance.device WHERE \(condition.sql))
        """,
      arguments: condition.arguments)
  }
}

extension RevisionPattern {
  fileprivate var condition: SQLCondition {
    var parts = [SQLCondition(sql: "source.bundle_identifier = ?", arguments: [source])]
    if case .exactly(let version) = version {
      parts.append(SQLCondition(sql: "version IS ?", arguments: [version]))
    }
    if case .exactly(let productType) = productType {
      parts.append(SQLCondition(sql: "product_type IS ?", arguments: [productType]))
    }
    if case .exactly(let system) = operatingSystem {
      parts.append(SQLCondition(sql: "operating_system = ?", arguments: [system]))
    }
    return .all(parts)
  }
}
