import Foundation
import GRDB
import PackedSamples

/// Reads the table `batch` of schemas 14 to 17 in order to convert it. It has one row per commit of a
/// gateway, containing small compressed segments of all monitors. From schema 18 on, each segment is a row of
/// `block`.
///
/// Use it only inside the database access in which it was created.
struct EarlierBatches {
  /// The rows of the table that can be read.
  struct Survey {
    /// The IDs of the rows that can be read, in ascending order.
    fileprivate(set) var ids: [Int64] = []
    /// The rows on damaged pages whose columns are in an index.
    fileprivate(set) var torn: [Row] = []
    /// Whether all pages of the table can be read.
    fileprivate(set) var isWhole = true
  }

  /// The columns of a row, except the compressed segments.
  struct Row {
    /// The ID, which is also the last change log position.
    var id: Int64
    var firstChange: Int64
    var start: Int64
    var end: Int64
    var count: Int64
  }

  enum Segment {
    /// A decoded compressed segment and its bytes.
    case decoded(StoredBlock, [UInt8])
    case damaged(Damage)
  }

  /// A row of `batch`, or a compressed segment in it, that cannot be decoded.
  struct Damage {
    var row: Row
    /// A text for the user: the hour of the row and the reason why it cannot be read.
    var text: String
    /// The type, unit, provenance and metadata of its samples; `nil` if they are unknown.
    fileprivate var kind: BlockKind?
    fileprivate var bytes: [UInt8]
  }

  private let database: Database
  private let reader: BlockReader

  /// - Returns: `nil` if the store has no table `batch`, or if that table was already converted.
  init?(in database: Database) throws {
    // Not with GRDB's `tableExists`, which ends the program if a row of the schema is damaged.
    let isThere = "SELECT EXISTS (SELECT 1 FROM pragma_table_info('batch'))"
    guard try Bool.fetchOne(database, sql: isThere) == true else { return nil }
    // Ignore errors, because the table of migrations may be damaged or missing.
    let isConverted = try? Bool.fetchOne(
      database, sql: "SELECT EXISTS (SELECT 1 FROM grdb_migrations WHERE identifier = '18')")
    guard isConverted != true else { return nil }
    self.init(tableIn: database)
  }

  /// - Parameter database: A store with the table `batch`.
  init(tableIn database: Database) {
    self.database = database
    reader = BlockReader(in: database)
  }

  // MARK: - Reading

  /// Determines which rows can be read. If pages of the file may be damaged, do not call this in the
  /// transaction that converts the rows: after reading such a page, SQLite refuses to write in the same
  /// transaction.
  func survey() throws -> Survey {
    var survey = Survey()
    var known: [Int64: Row] = [:]
    // If a page of the index or the table is damaged, the other may still contain the row.
    for source in ["INDEXED BY batch_start", "NOT INDEXED"] {
      do {
        let rows = try GRDB.Row.fetchCursor(
          database, sql: "SELECT id, first_change, start, end, 0 FROM batch \(source)")
        while let row = try rows.next() {
          let found = try Self.row(row)
          known[found.id] = found
        }
      } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
        survey.isWhole = false
      }
    }
    for (id, row) in known.sorted(by: { $0.key < $1.key }) {
      do {
        if try read(id) != nil { survey.ids.append(id) } else { survey.isWhole = false }
      } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
        survey.torn.append(row)
        survey.isWhole = false
      }
    }
    return survey
  }

  /// Decodes the rows that the survey has found, and calls `body` with each of their compressed segments.
  func forEach(_ survey: Survey, _ body: (Segment) throws -> Void) throws {
    for row in survey.torn { try body(.damaged(Damage(row, .file, []))) }
    for id in survey.ids {
      guard let (row, bytes) = try read(id) else { continue }
      for segment in try decode(row, bytes) { try body(segment) }
    }
  }

  private func decode(_ row: Row, _ bytes: [UInt8]) throws -> [Segment] {
    let batch: PackedBatch
    do throws(BlockError) {
      batch = try PackedBatch(bytes)
    } catch {
      return [.damaged(Damage(row, .bytes(error), bytes))]
    }
    return try batch.parts.map { try decode($0, row) }
  }

  private func decode(_ part: PackedBatch.Part, _ row: Row) throws -> Segment {
    let kind = BlockKind(
      type: part.type, unit: part.unit, provenance: part.provenance, metadata: part.metadata)
    let source = try reader.source(of: part.provenance)
    do throws(StoredBlockError) {
      let block = try StoredBlock(part.block, of: kind, source: source)
      // If a UUID cannot be decoded, the compressed segment counts as damaged.
      for place in 0..<block.count { _ = try block.uuid(at: place) }
      return .decoded(block, part.block)
    } catch {
      return .damaged(Damage(row, error, part.block, kind))
    }
  }

  /// Returns the counts of samples that can be decoded, as JSON: arrays of type, provenance and count.
  static func counts(in database: Database) throws -> String {
    var counts: [[Int64]: Int] = [:]
    if let batches = try EarlierBatches(in: database) {
      try batches.forEach(batches.survey()) { segment in
        guard case .decoded(let block, _) = segment else { return }
        counts[[block.header.kind.type, block.header.kind.provenance], default: 0] += block.count
      }
    }
    return "\(counts.map { $0.key + [Int64($0.value)] })"
  }

  private func read(_ id: Int64) throws -> (Row, [UInt8])? {
    let row = try GRDB.Row.fetchOne(
      database.cachedStatement(
        sql: "SELECT id, first_change, start, end, count, samples FROM batch WHERE id = ?"), arguments: [id])
    return try row.map { (try Self.row($0), Array(try $0.decode(Data.self, atIndex: 5))) }
  }

  private static func row(_ row: GRDB.Row) throws -> Row {
    try Row(
      id: row.decode(atIndex: 0), firstChange: row.decode(atIndex: 1), start: row.decode(atIndex: 2),
      end: row.decode(atIndex: 3), count: row.decode(atIndex: 4))
  }

  // MARK: - Conversion

  /// Writes the compressed segments that can be decoded to the table `block`.
  /// - Returns: The number of segments, and the damage that was found.
  func convert(_ survey: Survey) throws -> (segments: Int, damage: [Damage]) {
    let insertion = try BlockInsertion(in: database)
    var segments = 0
    var damage: [Damage] = []
    // The kind of a nearby compressed segment, for rows whose own kinds are unknown.
    var kind: BlockKind?
    try forEach(survey) { segment in
      switch segment {
      case .decoded(let block, let bytes):
        try insertion.insert(block.header, bytes)
        kind = block.header.kind
        segments += 1
      case .damaged(var damaged):
        damaged.kind = damaged.kind ?? kind
        damage.append(damaged)
      }
    }
    for place in damage.indices where damage[place].kind == nil { damage[place].kind = kind }
    return (segments, damage)
  }

  /// Also writes damaged compressed segments to the table `block`, marked as damaged, so that queries and
  /// checks still report them. If the kind of a segment is unknown, the kind of another segment is used.
  func keep(_ damage: [Damage]) throws {
    let insertion = try BlockInsertion(in: database)
    for damaged in damage {
      guard let kind = try damaged.kind ?? anyKind() else { continue }
      let row = damaged.row
      let header = StoredBlock.Header(
        id: 0, kind: kind, start: row.start, end: max(row.start, row.end), firstChange: row.firstChange,
        lastChange: row.id, count: Int(clamping: row.count))
      // The first byte is the format version. 0 is never valid, so it marks the compressed segment as
      // damaged.
      let isReadable = (try? StoredBlock(header, damaged.bytes, source: "")) != nil
      try insertion.insert(header, isReadable ? [0] + damaged.bytes : damaged.bytes)
    }
  }

  private func anyKind() throws -> BlockKind? {
    for sql in [
      "SELECT type, unit, provenance, metadata FROM block ORDER BY id DESC LIMIT 1",
      "SELECT object_type.id, unit.id, provenance.id, NULL FROM object_type, unit, provenance LIMIT 1",
    ] {
      guard let row = try GRDB.Row.fetchOne(database, sql: sql) else { continue }
      return try BlockKind(
        type: row.decode(atIndex: 0), unit: row.decode(atIndex: 1), provenance: row.decode(atIndex: 2),
        metadata: row.decode(atIndex: 3))
    }
    return nil
  }

  /// Removes the table `batch`. If its pages are damaged, it is left in place and ignored.
  func drop(_ survey: Survey) throws {
    if survey.isWhole { try database.execute(sql: "DROP TABLE batch") }
  }
}

extension EarlierBatches.Damage {
  fileprivate init(
    _ row: EarlierBatches.Row, _ error: StoredBlockError, _ bytes: [UInt8], _ kind: BlockKind? = nil
  ) {
    self.init(row: row, text: Self.text(row.start, error), kind: kind, bytes: bytes)
  }

  /// Returns the text for a row of `batch` that cannot be read.
  /// - Parameter start: The start in microseconds since 1970.
  static func text(_ start: Int64, _ error: StoredBlockError) -> String {
    "the samples that an earlier version packed in \(BlockReadError.hour(of: start)) cannot be read: \(error)"
  }
}
