import Foundation
import GRDB

/// Decodes each compressed segment of a store, and compares it with its row's columns, its type, other
/// segments, the rows of `sample`, and the change log. Use it only inside the read access in which it was
/// created.
struct BlockCheck {
  private(set) var findings: [StoreFinding] = []

  private let database: Database
  private let reader: BlockReader
  private var counts: [StoreFinding.Kind: [String: Int]] = [:]
  /// The change log positions of samples in compressed segments.
  private var taken = NumberSet()
  /// The hour that is being checked, and the UUIDs found in its compressed segments so far. A UUID contains
  /// the sample's time, so segments of other hours cannot contain the same UUIDs.
  private var hour = Int64.min
  private var uuids: Set<UUID> = []

  init(_ database: Database) throws {
    self.database = database
    reader = BlockReader(in: database)
    // Read the IDs from the index, because pages of the table may be damaged.
    let ids = try Int64.fetchAll(
      database, sql: "SELECT id FROM block INDEXED BY block_start ORDER BY start")
    for id in ids { try look(at: id) }
    try endHour()
    try checkEarlierBatches()
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

  private mutating func look(at id: Int64) throws {
    let found: (block: StoredBlock, uuids: [UUID])
    do throws(BlockReadError) {
      let block = try reader.block(id)
      found = (block, try reader.uuidList(of: block))
    } catch {
      guard case .damaged(let text) = error else { throw error.storageFailure }
      return add(.content, text)
    }
    try look(at: found.block, found.uuids)
  }

  /// Also checks the compressed segments in the table `batch` of an earlier schema.
  private mutating func checkEarlierBatches() throws {
    guard let batches = try EarlierBatches(in: database) else { return }
    var segments: [EarlierBatches.Segment] = []
    try batches.forEach(batches.survey()) { segments.append($0) }
    for segment in segments {
      switch segment {
      case .decoded(let block, _):
        let uuids = try reader.uuidList(of: block)
        try look(at: block, uuids)
      case .damaged(let damage): add(.content, damage.text)
      }
    }
    try endHour()
  }

  private mutating func look(at block: StoredBlock, _ held: [UUID]) throws {
    let its = HourSummary.start(of: block.header.start)
    if its != hour {
      try endHour()
      hour = its
    }
    add(
      .content, "a sample is in two blocks of compressed samples",
      held.count { !uuids.insert($0).inserted })
    add(
      .changeLog, "two entries have the same position in the change log",
      block.changes.count { !taken.insert($0) })
    if block.contradictsSource {
      add(.content, "a block of compressed samples and its source belong to different monitors")
    }
    if try isLongerThanType(block) {
      add(.content, "a sample is longer than the longest duration of its type")
    }
  }

  private mutating func endHour() throws {
    guard !uuids.isEmpty else { return }
    let rows = try HourIdentities.ofRows(hour, in: database)
    add(.content, "a sample is stored both compressed and uncompressed", rows.count { uuids.contains($0) })
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
      add(.changeLog, "two entries have the same position in the change log", twice)
    }
  }

  private func isLongerThanType(_ block: StoredBlock) throws -> Bool {
    guard let longest = block.durations?.max() else { return false }
    return try Bool.fetchOne(
      database.cachedStatement(sql: "SELECT longest < ? FROM object_type WHERE id = ?"),
      arguments: [longest, block.header.kind.type]) ?? false
  }
}
