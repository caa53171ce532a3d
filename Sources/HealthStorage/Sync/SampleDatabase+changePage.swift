package import Foundation
import GRDB

/// A page of changes of one type, with the complete content of the samples, such as their beats. It contains
/// finished objects instead of records, because ten thousand samples would otherwise be in memory twice.
package struct ChangeLogPage<Sample: Sendable>: Sendable {
  /// The saved samples, in the order in which they were stored.
  package var added: [Sample] = []
  package var deleted: [DeletedRecord] = []
  /// The UUIDs of samples whose rows are damaged.
  package var damaged: [UUID] = []
  /// The UUIDs of the samples in ``added`` that may have been modified since they were stored.
  package var changed: Set<UUID> = []
  /// The UUIDs of the samples in ``added`` that belong to a correlation of the requested type.
  package var members: Set<UUID> = []
  /// The latest revision of ``ChangesInPlace`` that the page includes.
  package var revision: Int64 = 0
  /// The position at which the next page starts.
  package var end: ChangeLogCursor
  /// Whether there are no more changes after this page.
  package var isLast = true
  /// Whether the requested position was from another store, so that this page starts at the beginning.
  package var restarts = false
}

/// The maximum size of a ``ChangeLogPage``.
package struct ChangePageLimit: Hashable, Sendable {
  /// Maximum number of additions and deletions together.
  package var count: Int
  /// Approximate maximum size in memory, in bytes. A larger sample gets a page of its own.
  package var bytes: Int

  package init(count: Int, bytes: Int) {
    self.count = max(count, 1)
    self.bytes = bytes
  }
}

extension SampleDatabase {
  /// Returns the changes of a type after a position in the change log, like `changes(_:after:of:limit:)`.
  /// Deletions of samples that cannot have matched the filter are omitted.
  /// - Parameters:
  ///   - correlation: A type of correlations whose samples are returned in `members`; `nil` if not needed.
  ///   - assembler: Returns the function that creates the samples of this page from their records.
  package func changePage<Sample: Sendable>(
    _ type: String, _ filter: SampleFilter, after cursor: ChangeLogCursor?, _ limit: ChangePageLimit,
    membersOf correlation: String? = nil,
    assembledBy assembler: @escaping @Sendable () -> (SampleRecord) -> Sample
  ) async throws -> ChangeLogPage<Sample> {
    try await read { database in
      let log = try ChangeLog(in: database)
      let visible = try Visibility.of(admission, in: database)
      let isHeld = try cursor.map { try log.holds($0.position, markedWith: $0.mark) } ?? true
      let start = isHeld ? cursor?.position ?? 0 : 0
      let last = try Self.lastChange(database)
      var page = ChangeLogPage<Sample>(
        revision: try ChangesInPlace(in: database).revision(), end: ChangeLogCursor(position: last, mark: ""),
        restarts: !isHeld)
      if last > start {
        var reader = try ChangePageReader(
          database, among: visible, marking: interpretation.markingKey, page, membersOf: correlation,
          assembler())
        try reader.read(
          type, resolved(.all([.type(type), filter]), after: start, in: database),
          deletions: filter.conditionOnDeletions, after: start, limit)
        page = reader.page
      }
      page.end.mark = try log.mark(of: page.end.position)
      return page
    }
  }

  /// Returns samples by their UUIDs, as a page. Samples deleted up to a change log position are returned as
  /// deleted.
  package func changePage<Sample: Sendable>(
    _ uuids: Set<UUID>, upTo cursor: ChangeLogCursor, membersOf correlation: String? = nil,
    assembledBy assembler: @escaping @Sendable () -> (SampleRecord) -> Sample
  ) async throws -> ChangeLogPage<Sample> {
    try await read { database in
      let visible = try Visibility.of(admission, in: database)
      var reader = try ChangePageReader(
        database, among: visible, marking: interpretation.markingKey, ChangeLogPage(end: cursor),
        membersOf: correlation, assembler())
      try reader.read(uuids)
      return reader.page
    }
  }

  /// Returns the number of changes of a type after a change log position.
  /// - Parameter countsDeletions: Whether to include deletions.
  package func changeCount(
    _ type: String, _ filter: SampleFilter, after cursor: ChangeLogCursor?, countsDeletions: Bool = true
  ) async throws -> Int {
    try await changes(of: type, filter, after: cursor) {
      "(SELECT count(*) FROM (\($0))) + (SELECT count(*) \($1) AND \(countsDeletions ? 1 : 0))"
    }
  }

  /// Returns whether there is any change after a change log position. Stops at the first one.
  package func hasChange(
    _ type: String, _ filter: SampleFilter, after cursor: ChangeLogCursor?
  ) async throws -> Bool {
    try await changes(of: type, filter, after: cursor) { "EXISTS (\($0)) OR EXISTS (SELECT 1 \($1))" }
      != 0
  }

  /// - Parameter figure: Returns the SQL expression to select. Its arguments are a query that finds samples,
  ///   and the FROM clause of a query that finds deletions.
  private func changes(
    of type: String, _ filter: SampleFilter, after cursor: ChangeLogCursor?,
    _ figure: @escaping @Sendable (_ samples: String, _ deletions: String) -> String
  ) async throws -> Int {
    try await read { database in
      let log = try ChangeLog(in: database)
      let visible = try Visibility.of(admission, in: database)
      let isHeld = try cursor.map { try log.holds($0.position, markedWith: $0.mark) } ?? false
      let start = isHeld ? cursor?.position ?? 0 : 0
      let deletions = filter.conditionOnDeletions && (visible?.deletions ?? .always)
      let filter = try resolved(.all([.type(type), filter]), after: start, in: database)
      let condition = filter.condition(among: visible)
      // If all samples are counted, SQLite should use the index by type.
      let samples = try SampleTables(in: database).union(condition.arguments) {
        start > 0
          ? "SELECT 1 FROM \($0.byChange) WHERE id > \(start) AND \(condition.sql)"
          : "SELECT 1 FROM \($0.sql) WHERE \(condition.sql)"
      }
      let gone = """
        FROM deleted_object WHERE id > ?
          AND type = (SELECT id FROM object_type WHERE identifier = ?) AND \(deletions.sql)
        """
      return try Int.fetchOne(
        database, sql: "SELECT \(figure(samples.sql, gone))",
        arguments: samples.arguments + [start, type] + deletions.arguments) ?? 0
    }
  }
}

/// Reads one page. Use it only inside the read access in which it was created.
private struct ChangePageReader<Sample: Sendable> {
  /// Approximate size in bytes of a sample without its content, including its representation at the
  /// destination.
  private static var bytesOfSample: Int { 400 }
  private static var bytesOfDeletion: Int { 150 }
  /// The size of decoded content relative to the encoded bytes. For example, a beat of two bytes takes 16
  /// bytes decoded, and 16 more as text.
  private static var expansion: Int { 16 }

  private(set) var page: ChangeLogPage<Sample>
  private let assemble: (SampleRecord) -> Sample
  private let database: Database
  private let visible: Visibility?
  private let changes: [ClosedRange<Int64>]
  private let correlation: String?
  private var cache: ReadCache
  private var bytes = 0

  init(
    _ database: Database, among visible: Visibility?, marking: String?, _ page: ChangeLogPage<Sample>,
    membersOf correlation: String?, _ assemble: @escaping (SampleRecord) -> Sample
  ) throws {
    self.database = database
    self.visible = visible
    self.page = page
    self.correlation = correlation
    self.assemble = assemble
    changes = try ChangesInPlace(in: database).ranges()
    cache = ReadCache(database, parts: visible?.parts, marking: marking)
  }

  mutating func read(
    _ type: String, _ filter: SampleFilter, deletions: SQLCondition, after start: Int64,
    _ limit: ChangePageLimit
  ) throws {
    let condition = filter.condition(among: visible)
    let deletions = deletions && (visible?.deletions ?? .always)
    // NOT INDEXED makes SQLite scan by ID from the position on. With the index by type, it would read every
    // sample of the type.
    let added = try SampleTables(in: database).union([start] + condition.arguments) {
      "\(SampleDatabase.columns(.beats, of: $0)) FROM \($0.byChange) WHERE id > ? AND (\(condition.sql))"
    }
    let samples = try Row.fetchCursor(
      database, sql: "\(added.sql) ORDER BY id", arguments: added.arguments)
    let deleted = try Row.fetchCursor(
      database,
      sql: """
        SELECT id, uuid, sync_identifier, sync_version FROM deleted_object
        WHERE id > ? AND type = (SELECT id FROM object_type WHERE identifier = ?) AND \(deletions.sql)
        ORDER BY id
        """,
      arguments: [start, type] + deletions.arguments)
    var sample = try samples.next()
    var deletion = try deleted.next()
    var count = 0
    while count < limit.count, bytes < limit.bytes {
      let addedAt = try sample.map { try $0.decode(atIndex: 12) as Int64 } ?? .max
      let deletedAt = try deletion.map { try $0.decode(atIndex: 0) as Int64 } ?? .max
      if let row = sample, addedAt < deletedAt {
        _ = try add(row)
        page.end.position = addedAt
        sample = try samples.next()
      } else if let row = deletion {
        page.deleted.append(try DeletedRecord(row, at: 1))
        bytes += Self.bytesOfDeletion
        page.end.position = deletedAt
        deletion = try deleted.next()
      } else {
        break
      }
      count += 1
    }
    page.isLast = sample == nil && deletion == nil
    if page.isLast { page.end.position = try SampleDatabase.lastChange(database) }
  }

  mutating func read(_ uuids: Set<UUID>) throws {
    let condition = SampleFilter.uuids(uuids).condition(among: visible)
    let wanted = try SampleTables(in: database).union(condition.arguments) {
      "\(SampleDatabase.columns(.beats, of: $0)) FROM \($0.sql) WHERE \(condition.sql)"
    }
    let rows = try Row.fetchCursor(
      database, sql: "\(wanted.sql) ORDER BY id", arguments: wanted.arguments)
    var found: Set<UUID> = []
    while let row = try rows.next() { found.insert(try add(row)) }
    let deletion = try database.cachedStatement(
      sql: """
        SELECT uuid, sync_identifier, sync_version FROM deleted_object WHERE uuid = ? AND id <= ?
        """)
    for uuid in uuids.subtracting(found) {
      guard let row = try Row.fetchOne(deletion, arguments: [uuid, page.end.position]) else { continue }
      page.deleted.append(try DeletedRecord(row, at: 0))
    }
  }

  /// Adds a sample to the page; if its row is damaged, adds only its UUID.
  /// - Returns: The UUID of the sample.
  private mutating func add(_ row: Row) throws -> UUID {
    let uuid: UUID = try row.decode(atIndex: 0)
    bytes += Self.bytesOfSample
    do {
      let id: Int64 = try row.decode(atIndex: 12)
      let record = try detailed(SampleDatabase.record(row, &cache), id: id)
      bytes += Self.expansion * record.content.packedBytes
      page.added.append(assemble(record))
      if changes.contains(where: { $0.contains(id) }) { page.changed.insert(uuid) }
      if try isMember(id) { page.members.insert(uuid) }
    } catch let error as DatabaseError {
      throw error
    } catch {
      page.damaged.append(uuid)
    }
    return uuid
  }

  private func isMember(_ id: Int64) throws -> Bool {
    guard let correlation else { return false }
    let statement = try database.cachedStatement(
      sql: """
        SELECT EXISTS (SELECT 1 FROM membership JOIN sample AS holder ON holder.id = membership.container
          WHERE membership.member = ?1
            AND holder.type = (SELECT id FROM object_type WHERE identifier = ?2))
        """)
    return try Bool.fetchOne(statement, arguments: [id, correlation]) ?? false
  }

  /// Returns the record with the quantities of its series, which other queries do not return.
  private func detailed(_ record: SampleRecord, id: Int64) throws -> SampleRecord {
    guard case .quantitySeries(let series) = record.content else { return record }
    let statement = try database.cachedStatement(
      sql: "SELECT quantities FROM quantity_series WHERE sample = ?")
    let quantities = try Data.fetchOne(statement, arguments: [id]) ?? Data()
    var record = record
    record.content = .quantitySeries(
      QuantitySeries(
        unit: series.unit, value: series.value, count: series.count, minimum: series.minimum,
        maximum: series.maximum, latest: series.latest, quantities: Array(quantities)))
    return record
  }
}

extension SampleRecord.Content {
  /// The size of the encoded content in bytes.
  fileprivate var packedBytes: Int {
    switch self {
    case .quantity, .category: 0
    case .quantitySeries(let series): series.quantities?.count ?? 0
    case .heartbeatSeries(_, let beats): beats?.count ?? 0
    case .locationSeries(_, let locations): locations?.count ?? 0
    // An archive is in memory twice: as its bytes, and as objects. Its total size is estimated as four times
    // its bytes: a quarter of them, times `expansion` (16).
    case .archive(let archive), .recording(let archive, _), .container(let archive, _): archive.count / 4
    case .correlation(let members): members.reduce(0) { $0 + 25 + $1.content.packedBytes }
    }
  }
}

extension DeletedRecord {
  /// - Parameter index: The index of the first of the three columns.
  fileprivate init(_ row: Row, at index: Int) throws {
    try self.init(
      uuid: row.decode(atIndex: index), syncIdentifier: row.decode(atIndex: index + 1),
      syncVersion: row.decode(atIndex: index + 2))
  }
}

extension SampleFilter {
  /// An SQL condition on `deleted_object`. A deletion has only the sample's source and start, so other parts
  /// of the filter are ignored.
  var conditionOnDeletions: SQLCondition {
    switch self {
    case .sources(let identifiers):
      let list = SQLCondition.list(of: identifiers)
      return SQLCondition(
        sql: "source IN (SELECT id FROM source WHERE bundle_identifier IN \(list.sql))",
        arguments: list.arguments)
    case .startsFrom(let time):
      return SQLCondition(sql: "ifnull(start >= ?, 1)", arguments: [time])
    case .all(let parts): return .all(parts.map(\.conditionOnDeletions))
    default: return .always
    }
  }
}
