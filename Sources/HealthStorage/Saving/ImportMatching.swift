package import Foundation
import GRDB

/// Describes how an import of an iPhone's export recognizes samples that an earlier import stored with
/// another UUID.
package struct ImportMatching: Sendable {
  /// A heartbeat series without its beats.
  package struct Series: Hashable, Sendable {
    package var uuid: UUID
    /// The name of the source.
    package var source: String
    /// The start in microseconds since 1970.
    package var start: Int64
    package var end: Int64
    package var count: Int
  }

  /// A value with its unit. The value of a category has no unit.
  package struct Value: Hashable, Sendable {
    package var number: Double
    package var unit: String?
  }

  /// The last change log position when the import began. Samples stored later are not compared.
  package var position: Int64
  /// The prefix of the bundle identifiers of imported sources.
  package var sourcePrefix: String
  /// The type of the exported records that contain heartbeats.
  package var recordType: String
  /// The maximum difference between the starts of two series that come from the same exported record, in
  /// microseconds.
  package var seriesDistance: Int64
  /// Returns whether two values are equal within the precision of an export.
  package var areEqual: @Sendable (Value, Value) -> Bool
  /// Returns whether the first series, which is stored, comes from the same exported record as the second.
  package var isReplaced: @Sendable (Series, Series) -> Bool
  /// Returns whether a stored series may come from a record with this start and end.
  package var canBelong: @Sendable (Series, _ start: Int64, _ end: Int64) -> Bool

  package init(
    position: Int64, sourcePrefix: String, recordType: String, seriesDistance: Int64,
    areEqual: @escaping @Sendable (Value, Value) -> Bool,
    isReplaced: @escaping @Sendable (Series, Series) -> Bool,
    canBelong: @escaping @Sendable (Series, _ start: Int64, _ end: Int64) -> Bool
  ) {
    self.position = position
    self.sourcePrefix = sourcePrefix
    self.canBelong = canBelong
    self.recordType = recordType
    self.seriesDistance = seriesDistance
    self.areEqual = areEqual
    self.isReplaced = isReplaced
  }
}

/// Two sources of imported samples.
package struct SourcePair: Hashable, Sendable {
  package var new: SourceRecord
  package var old: SourceRecord
}

/// Finds the samples that earlier imports stored for the same records. Use it only inside the write access in
/// which it was created.
final class EarlierRecords {
  private struct Source {
    var id: Int64
    var record: SourceRecord
  }

  /// The number of samples for which another source has stored one with the same type, time and value.
  private(set) var alike: [SourcePair: Int] = [:]
  private let matching: ImportMatching
  private let database: Database
  private let damaged: DamagedBlocks
  private let reader: BlockReader
  /// The row IDs of the types that have earlier samples in the time range of the samples to save.
  private var types: [String: Int64] = [:]
  private var sources: [Int64: Source] = [:]
  private var units: [Int64: String] = [:]
  private var blocks: [Int64: StoredBlock?] = [:]
  private static let mostBlocks = 8

  init(
    _ matching: ImportMatching, of records: [SampleRecord], in database: Database, _ damaged: DamagedBlocks
  ) throws {
    self.matching = matching
    self.database = database
    self.damaged = damaged
    reader = BlockReader(in: database)
    guard matching.position > 0 else { return }
    var spans: [String: ClosedRange<Int64>] = [:]
    for record in records {
      spans.extend(record)
      if case .correlation(let members) = record.content { for member in members { spans.extend(member) } }
    }
    for (type, span) in spans { types[type] = try known(type, span) }
  }

  /// - Returns: The row ID of the type; `nil` if no earlier sample of it is stored near this time.
  private func known(_ type: String, _ span: ClosedRange<Int64>) throws -> Int64? {
    try Int64.fetchOne(
      database.cachedStatement(
        sql: """
          SELECT id FROM object_type WHERE identifier = ?1 AND (
            EXISTS (SELECT 1 FROM sample WHERE type = object_type.id AND start BETWEEN ?2 AND ?3 AND sample.id <= ?4)
            OR EXISTS (SELECT 1 FROM block WHERE type = object_type.id AND start BETWEEN ?2 AND ?3))
          """),
      arguments: [
        type, span.lowerBound - matching.seriesDistance, span.upperBound + matching.seriesDistance,
        matching.position,
      ])
  }

  // MARK: - Values

  /// Returns the ID of the sample that an earlier import stored for the same record and source, in any unit;
  /// `nil` if there is no such sample.
  ///
  /// - Parameter isCounted: Whether to count equal samples of other sources in ``alike``.
  func row(of record: SampleRecord, isCounted: Bool = true) throws -> Int64? {
    guard let type = types[record.type], let value = record.value,
      record.provenance.revision.source.bundleIdentifier.hasPrefix(matching.sourcePrefix)
    else { return nil }
    let source = record.provenance.revision.source
    var found: Int64?
    var others: Set<SourceRecord> = []
    for (row, provenance, stored) in try candidates(type, record) where matching.areEqual(stored, value) {
      let other = try self.source(of: provenance).record
      if other.bundleIdentifier == source.bundleIdentifier {
        found = found ?? row
      } else if other.bundleIdentifier.hasPrefix(matching.sourcePrefix) {
        others.insert(other)
      }
    }
    if found == nil, isCounted {
      for other in others { alike[SourcePair(new: source, old: other), default: 0] += 1 }
    }
    return found
  }

  private typealias Candidate = (row: Int64, provenance: Int64, value: ImportMatching.Value)

  /// Returns earlier samples with the same type and time.
  private func candidates(_ type: Int64, _ record: SampleRecord) throws -> [Candidate] {
    let rows = try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT id, provenance, value, unit FROM sample
          WHERE type = ? AND start = ? AND end IS ? AND id <= ? AND value IS NOT NULL
          """),
      arguments: [type, record.start, record.end > record.start ? record.end : nil, matching.position])
    return try rows.map { row in
      let unit: Int64? = try row.decode(atIndex: 3)
      return try (
        row.decode(atIndex: 0), row.decode(atIndex: 1),
        ImportMatching.Value(number: row.decode(atIndex: 2), unit: unit.map { try symbol(of: $0) })
      )
    } + packed(type, record)
  }

  /// Returns earlier samples with the same type and time that are in compressed segments. Skips damaged
  /// segments.
  private func packed(_ type: Int64, _ record: SampleRecord) throws -> [Candidate] {
    let rows = try Int64.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT block.id FROM block JOIN provenance ON provenance.id = block.provenance
          JOIN source_revision ON source_revision.id = provenance.source_revision
          JOIN source ON source.id = source_revision.source
          WHERE block.type = ? AND block.start BETWEEN ? AND ? AND block.end >= ?3
            AND substr(source.bundle_identifier, 1, length(?4)) = ?4
          """),
      arguments: [type, HourSummary.start(of: record.start), record.start, matching.sourcePrefix])
    var found: [Candidate] = []
    for row in rows {
      guard let block = try block(row) else { continue }
      let unit = try symbol(of: block.header.kind.unit)
      for place in 0..<block.count
      where block.starts[place] == record.start && block.end(at: place) == record.end
        && block.changes[place] <= matching.position
      {
        let value = ImportMatching.Value(number: block.values[place], unit: unit)
        found.append((block.changes[place], block.header.kind.provenance, value))
      }
    }
    return found
  }

  private func block(_ id: Int64) throws -> StoredBlock? {
    if let known = blocks[id] { return known }
    if blocks.count >= Self.mostBlocks { blocks = [:] }
    var block: StoredBlock?
    if !damaged.torn.contains(id) {
      do throws(BlockReadError) {
        block = try reader.block(id)
      } catch {
        guard case .damaged(let text) = error else { throw error.storageFailure }
        damaged.note(id, text)
      }
    }
    blocks[id] = .some(block)
    return block
  }

  // MARK: - Correlations

  /// Returns whether a correlation with the same type, time, source and contained samples is stored.
  func isStored(_ record: SampleRecord, holding rows: Set<Int64>) throws -> Bool {
    guard let type = types[record.type] else { return false }
    let found = try Row.fetchAll(
      database.cachedStatement(
        sql: "SELECT id, provenance FROM sample WHERE type = ? AND start = ? AND end IS ? AND id <= ?"),
      arguments: [type, record.start, record.end > record.start ? record.end : nil, matching.position])
    return try found.contains { row in
      let source = try source(of: row.decode(atIndex: 1)).record.bundleIdentifier
      guard source == record.provenance.revision.source.bundleIdentifier else { return false }
      let members = try Memberships(database: database).members(of: row.decode(atIndex: 0))
      return Set(members.map(\.member)) == rows
    }
  }

  // MARK: - Beats

  /// Deletes the heartbeat series that earlier imports stored for the same record.
  ///
  /// - Returns: Whether there were any.
  func deleteSeries(replacedBy record: SampleRecord, _ summaries: inout SummaryInvalidation) throws -> Bool {
    guard let type = types[record.type], case .heartbeatSeries(let count, _) = record.content else {
      return false
    }
    let owner = record.provenance.revision.source
    let series = ImportMatching.Series(
      uuid: record.uuid, source: owner.name, start: record.start, end: record.end, count: count)
    let rows = try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT id, provenance, uuid, start, ifnull(end, start), count FROM sample
          JOIN heartbeat_series ON heartbeat_series.sample = sample.id
          WHERE type = ? AND start BETWEEN ? AND ? AND id <= ?
          """),
      arguments: [
        type, record.start - matching.seriesDistance, record.start + matching.seriesDistance,
        matching.position,
      ])
    var isReplaced = false
    for row in rows {
      let source = try source(of: row.decode(atIndex: 1))
      let stored = try ImportMatching.Series(
        uuid: row.decode(atIndex: 2), source: source.record.name, start: row.decode(atIndex: 3),
        end: row.decode(atIndex: 4), count: row.decode(atIndex: 5))
      guard source.record.bundleIdentifier == owner.bundleIdentifier, matching.isReplaced(stored, series),
        try !isOfAnother(stored, source.id, nearerThan: abs(stored.start - series.start))
      else {
        continue
      }
      try Tombstones(database: database).bury(row.decode(atIndex: 0), savedBy: source.id, &summaries)
      isReplaced = true
    }
    return isReplaced
  }

  /// Returns whether a stored record is closer to a stored series than the record that is being imported. If
  /// so, the series probably comes from the stored record. It is kept until that record is imported.
  private func isOfAnother(
    _ series: ImportMatching.Series, _ source: Int64, nearerThan distance: Int64
  ) throws -> Bool {
    let rows = try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT start, ifnull(end, start), provenance FROM sample
          WHERE type = (SELECT id FROM object_type WHERE identifier = ?) AND start BETWEEN ? AND ?
          """),
      arguments: [matching.recordType, series.start - distance, series.start + distance])
    return try rows.contains { row in
      let (start, end): (Int64, Int64) = try (row.decode(atIndex: 0), row.decode(atIndex: 1))
      // A series may start anywhere within its record. So this record is certainly closer only if even its
      // farther end is closer to the series than the record that is being imported.
      guard abs(series.start - start) + (end - start) < distance else { return false }
      return try self.source(of: row.decode(atIndex: 2)).id == source
        && matching.canBelong(series, start, end)
    }
  }

  // MARK: - Interned rows

  private func source(of provenance: Int64) throws -> Source {
    if let known = sources[provenance] { return known }
    let row = try Row.fetchOne(
      database.cachedStatement(
        sql: """
          SELECT source.id, source.bundle_identifier, source.name FROM provenance
          JOIN source_revision ON source_revision.id = provenance.source_revision
          JOIN source ON source.id = source_revision.source WHERE provenance.id = ?
          """), arguments: [provenance])
    let source = Source(
      id: try row?.decode(atIndex: 0) ?? 0,
      record: SourceRecord(
        bundleIdentifier: try row?.decode(atIndex: 1) ?? "", name: try row?.decode(atIndex: 2) ?? ""))
    sources[provenance] = source
    return source
  }

  private func symbol(of unit: Int64) throws -> String {
    if let known = units[unit] { return known }
    let symbol = try String.fetchOne(
      database.cachedStatement(sql: "SELECT symbol FROM unit WHERE id = ?"), arguments: [unit])
    units[unit] = symbol
    return symbol ?? ""
  }
}

extension SampleRecord {
  fileprivate var value: ImportMatching.Value? {
    switch content {
    case .quantity(let value, let unit): ImportMatching.Value(number: value, unit: unit)
    case .category(let number): ImportMatching.Value(number: Double(number), unit: nil)
    default: nil
    }
  }
}

extension [String: ClosedRange<Int64>] {
  fileprivate mutating func extend(_ record: SampleRecord) {
    let span = self[record.type] ?? record.start...record.start
    self[record.type] = Swift.min(span.lowerBound, record.start)...Swift.max(span.upperBound, record.start)
  }
}
