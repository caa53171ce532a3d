package import Foundation
import GRDB

/// The quantities in a container, such as a workout, that the application may read.
package struct AssociatedQuantities: Hashable, Sendable {
  /// The quantities by type identifier, in the order of their start. A series contributes each of its
  /// quantities.
  package var values: [String: [SampledValue]]
  /// The meaning of the IDs in `values`, by type identifier.
  package var keys: [String: SampledValueKeys]
}

extension SampleDatabase {
  /// Returns the content of an archived sample, such as a workout, with the quantities in it.
  ///
  /// The quantities are not stored with the container but read each time, so they are correct even if another
  /// process adds, replaces or deletes samples. This costs as much as reading the samples. A workout has a
  /// few thousand.
  static func content(
    of container: Int64, _ archive: [UInt8], _ cache: inout ReadCache
  ) throws -> SampleRecord.Content {
    let quantities = try quantities(of: container, &cache)
    return quantities.values.isEmpty ? .archive(archive) : .container(archive: archive, quantities)
  }

  /// Returns the quantities of samples that will be added to a container. A sample that was replaced counts
  /// once, as its newer version. Deleted samples are omitted.
  package func quantities(ofEffective members: [UUID]) async throws -> AssociatedQuantities {
    try await read { database in
      let rows = try Memberships(database: database).effectiveRows(for: members)
      let visible = try Visibility.of(admission, in: database)
      var cache = ReadCache(database, parts: visible?.parts, marking: interpretation.markingKey)
      let samples = SQLCondition.list(of: rows)
      return try Self.quantities(ofSamplesIn: samples, SampleTables(in: database), &cache)
    }
  }

  private static func quantities(
    of container: Int64, _ cache: inout ReadCache
  ) throws -> AssociatedQuantities {
    let members = SQLCondition(
      sql: "(SELECT member FROM membership WHERE container = ?)", arguments: [container])
    // Samples in containers are always rows, never in compressed segments.
    return try quantities(ofSamplesIn: members, SampleTables([.rows]), &cache)
  }

  private static func quantities(
    ofSamplesIn samples: SQLCondition, _ tables: SampleTables, _ cache: inout ReadCache
  ) throws -> AssociatedQuantities {
    let quantities = tables.union(samples.arguments + cache.parts.arguments) { [parts = cache.parts] in
      """
      SELECT type, start, ifnull(end, start), value, unit, provenance, id, uuid,
        EXISTS (SELECT 1 FROM quantity_series WHERE sample = sample.id), metadata
      FROM \($0.sql) WHERE id IN \(samples.sql) AND unit IS NOT NULL AND \(parts.sql)
      """
    }
    let statement = try cache.database.cachedStatement(sql: "\(quantities.sql) ORDER BY type, start, id")
    var found = AssociatedQuantities(values: [:], keys: [:])
    var unordered: Set<String> = []
    for row in try Row.fetchAll(statement, arguments: quantities.arguments) {
      let type = try cache.type(row.decode(atIndex: 0))
      let value = try SampledValue(
        start: row.decode(atIndex: 1), end: row.decode(atIndex: 2), value: row.decode(atIndex: 3),
        unit: row.decode(atIndex: 4), provenance: row.decode(atIndex: 5),
        isMarked: cache.isMarked(row.decode(atIndex: 9)))
      if found.keys[type] == nil { found.keys[type] = try cache.keys(type) }
      guard try row.decode(atIndex: 8) else {
        found.values[type, default: []].append(value)
        continue
      }
      let series = try SeriesMerge.quantities(
        of: row.decode(atIndex: 6), row.decode(atIndex: 7), from: value.start, in: cache.database)
      found.values[type, default: []] += series.map {
        SampledValue(
          start: $0.start, end: $0.end, value: $0.value, unit: value.unit, provenance: value.provenance,
          isMarked: value.isMarked)
      }
      unordered.insert(type)
    }
    for type in unordered { found.values[type]?.sort { $0.start < $1.start } }
    return found
  }
}
