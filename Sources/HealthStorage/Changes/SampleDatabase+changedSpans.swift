import GRDB

/// The time span of a sample that was saved or deleted, or of several saved samples together.
package struct ChangedSpan: Hashable, Sendable {
  /// The identifier of the sample type.
  package var type: String
  /// The start in microseconds since 1970.
  package var start: Int64
  /// The end. For a deleted sample, the latest possible end, because its duration is not stored.
  package var end: Int64
}

/// The position at which a scan of the change log stopped.
package struct ChangedSpansEnd: Hashable, Sendable {
  /// The position at which the next scan begins.
  package var cursor: ChangeLogCursor
  /// Whether there are no further changes.
  package var isLast: Bool
}

extension SampleDatabase {
  /// Folds the time spans of all samples that were saved or deleted after a position in the change log, like
  /// `reduce(into:)`. The samples themselves are not read. The cost depends on the number of changes, not on
  /// the size of the store.
  ///
  /// If the position is from another store, or from before a backup was restored, the scan starts at the
  /// beginning. Deletions made by older versions are skipped, because these did not store the time.
  /// - Parameters:
  ///   - types: The identifiers of the sample types.
  ///   - entries: Maximum number of entries of the change log to scan, counting all types.
  package func foldChangedSpans<Result: Sendable>(
    into initial: Result, of types: Set<String>, after cursor: ChangeLogCursor?, entries: Int64,
    _ body: @Sendable (inout Result, ChangedSpan) -> Void
  ) async throws -> (result: Result, end: ChangedSpansEnd) {
    try await read { database in
      let log = try ChangeLog(in: database)
      let isHeld = try cursor.map { try log.holds($0.position, markedWith: $0.mark) } ?? false
      let start = isHeld ? cursor?.position ?? 0 : 0
      let last = try Self.lastChange(database)
      let end = min(last, start.addingReportingOverflow(entries).partialValue)
      var result = initial
      if end > start {
        try Self.forEachSpan(of: types, after: start, upTo: end, in: database) { body(&result, $0) }
      }
      let cursor = ChangeLogCursor(position: max(end, start), mark: try log.mark(of: max(end, start)))
      return (result, ChangedSpansEnd(cursor: cursor, isLast: end >= last))
    }
  }

  private static func forEachSpan(
    of types: Set<String>, after start: Int64, upTo end: Int64, in database: Database,
    _ body: (ChangedSpan) throws -> Void
  ) throws {
    let list = SQLCondition.list(of: types)
    var names: [Int64: (identifier: String, longest: Int64)] = [:]
    for row in try Row.fetchAll(
      database, sql: "SELECT id, identifier, longest FROM object_type WHERE identifier IN \(list.sql)",
      arguments: list.arguments)
    {
      names[try row.decode(atIndex: 0)] = (try row.decode(atIndex: 1), try row.decode(atIndex: 2))
    }
    // NOT INDEXED makes SQLite scan by ID from the position on. With the index by type, it would read every
    // sample of the type.
    let samples =
      "SELECT type, start, ifnull(end, start) FROM sample NOT INDEXED WHERE id > ? AND id <= ?"
    let deletions =
      "SELECT type, start, NULL FROM deleted_object WHERE id > ? AND id <= ? AND start IS NOT NULL"
    for sql in [samples, deletions] {
      let rows = try Row.fetchCursor(database, sql: sql, arguments: [start, end])
      while let row = try rows.next() {
        guard let type = names[try row.decode(atIndex: 0)] else { continue }
        let start: Int64 = try row.decode(atIndex: 1)
        let (latest, overflow) = start.addingReportingOverflow(type.longest)
        let end = try row.decode(atIndex: 2) as Int64? ?? (overflow ? .max : latest)
        try body(ChangedSpan(type: type.identifier, start: start, end: end))
      }
    }
    let types = names.mapValues(\.identifier)
    try forEachPackedSpan(of: types, after: start, upTo: end, in: database, body)
  }

  /// Calls `body` with one time span for each compressed segment that contains changes. All samples of a
  /// segment are in the same hour.
  private static func forEachPackedSpan(
    of types: [Int64: String], after start: Int64, upTo end: Int64, in database: Database,
    _ body: (ChangedSpan) throws -> Void
  ) throws {
    guard try SampleTables(in: database).haveBlocks, start < end else { return }
    var request = PackedSampleRequest()
    request.narrow(changesFrom: start + 1)
    request.narrow(changesUpTo: end)
    let reader = BlockReader(in: database)
    do {
      for id in try BlockSearch.all(request, reader.connection) {
        guard let block = try reader.block(id, where: { types[$0.type] != nil }),
          let type = types[block.header.kind.type]
        else { continue }
        let places = block.changes.indices.filter { request.admits(change: block.changes[$0]) }
        guard let first = places.first, let last = places.last else { continue }
        // The samples of a compressed segment are sorted by start, but not by end.
        let latest = places.reduce(block.end(at: last)) { max($0, block.end(at: $1)) }
        try body(ChangedSpan(type: type, start: block.starts[first], end: latest))
      }
    } catch let failure as BlockReadError {
      throw failure.storageFailure
    }
  }
}
