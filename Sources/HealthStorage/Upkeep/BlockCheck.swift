import Foundation
import GRDB

/// Decodes every block of a store and compares it with its row, the other blocks, the sample rows, the change
/// log and its type. Valid only within the read access in which it was created.
struct BlockCheck {
  private(set) var findings: [StoreFinding] = []

  private let database: Database
  private let reader: BlockReader
  private let last: Int64
  private var counts: [StoreFinding.Kind: [String: Int]] = [:]
  /// Positions in the change log that samples in blocks use.
  private var taken = NumberSet()
  /// The hour being checked, and the UUIDs found in its blocks so far. Blocks of other hours cannot hold any
  /// of them.
  private var hour = Int64.min
  private var uuids: Set<UUID> = []

  init(_ database: Database) throws {
    self.database = database
    reader = BlockReader(in: database)
    last = try SampleDatabase.lastChange(database)
    for table in try ["block", "batch"].filter({ try database.tableExists($0) }) {
      let nameless = try Int.fetchOne(
        database, sql: "SELECT count(*) FROM \(table) WHERE \(PackedRow.isNone)")
      add(.changeLog, "a row of \(table) has no valid ID", nameless ?? 0)
    }
    for row in try PackedRows(in: database).all() { try look(at: row) }
    try endHour()
    try compareWithLog()
    for (kind, texts) in counts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      for (text, count) in texts.sorted(by: <) {
        findings.append(StoreFinding(kind: kind, text: text, count: count))
      }
    }
  }

  private mutating func add(_ kind: StoreFinding.Kind, _ text: String, _ count: Int = 1) {
    if count > 0 { counts[kind, default: [:]][text, default: 0] += count }
  }

  private mutating func look(at row: PackedRow) throws {
    var blocks: [(StoredBlock, [UUID])] = []
    do throws(BlockReadError) {
      for block in try reader.blocks(row) { blocks.append((block, try reader.uuidList(of: block))) }
    } catch {
      guard case .damaged(let text) = error else { throw error.storageFailure }
      return add(.content, text)
    }
    for (block, uuids) in blocks { try look(at: block, uuids) }
  }

  private mutating func look(at block: StoredBlock, _ held: [UUID]) throws {
    let its = HourSummary.start(of: block.header.start)
    if its != hour {
      try endHour()
      hour = its
    }
    add(.content, "a sample is in blocks twice", held.count { !uuids.insert($0).inserted })
    add(.changeLog, "a place of the change log is taken twice", block.changes.count { !taken.insert($0) })
    if block.header.lastChange > last { add(.changeLog, "a place lies beyond the end of the change log") }
    if block.contradictsSource { add(.content, "a block and its source are of different monitors") }
    if try isLongerThanType(block) {
      add(.content, "a sample is longer than the longest duration of its type")
    }
  }

  private mutating func endHour() throws {
    guard !uuids.isEmpty else { return }
    let rows = try HourIdentities.ofRows(hour, in: database)
    add(.content, "a sample is in a block and in a row", rows.count { uuids.contains($0) })
    uuids = []
  }

  private mutating func compareWithLog() throws {
    guard !taken.isEmpty else { return }
    for table in ["sample", "deleted_object"] {
      let ids = try Int64.fetchCursor(database, sql: "SELECT id FROM \(table)")
      var twice = 0
      while let id = try ids.next() {
        if taken.contains(id) { twice += 1 }
      }
      add(.changeLog, "a place of the change log is taken twice", twice)
    }
  }

  private func isLongerThanType(_ block: StoredBlock) throws -> Bool {
    guard let longest = block.durations?.max() else { return false }
    return try Bool.fetchOne(
      database.cachedStatement(sql: "SELECT longest < ? FROM object_type WHERE id = ?"),
      arguments: [longest, block.header.kind.type]) ?? false
  }
}
