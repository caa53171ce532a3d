import GRDB

/// Decodes every block of a store, and compares it with its row, with the change log, and with its type.
/// Valid only within the read access that it was made in.
struct BlockCheck {
  private(set) var findings: [StoreFinding] = []

  init(_ database: Database) throws {
    let reader = BlockReader(in: database)
    let last = try SampleDatabase.lastChange(database)
    var counts: [StoreFinding.Kind: [String: Int]] = [:]
    func add(_ kind: StoreFinding.Kind, _ text: String, _ count: Int = 1) {
      if count > 0 { counts[kind, default: [:]][text, default: 0] += count }
    }
    let ids = try Int64.fetchCursor(database, sql: "SELECT id FROM block ORDER BY start, id")
    while let id = try ids.next() {
      do throws(BlockFailure) {
        let block = try reader.block(id)
        _ = try reader.uuids(of: block)
        let taken = try Self.taken(block, in: database)
        add(.changeLog, "a place of the change log is taken twice", taken)
        if block.header.lastChange > last {
          add(.changeLog, "a place lies beyond the end of the change log")
        }
        if try Self.isLongerThanType(block, in: database) {
          add(.content, "a type has a sample longer than its longest")
        }
      } catch {
        guard case .damaged(let text) = error else { throw error.storageFailure }
        add(.content, text)
      }
    }
    for (kind, texts) in counts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      for (text, count) in texts.sorted(by: <) {
        findings.append(StoreFinding(kind: kind, text: text, count: count))
      }
    }
  }

  /// How many samples of a block have a place in the change log that something else has too.
  private static func taken(_ block: StoredBlock, in database: Database) throws(BlockFailure) -> Int {
    try reading { () throws in
      let changes = Set(block.changes)
      let others = try Int64.fetchAll(
        database.cachedStatement(
          sql: """
            SELECT id FROM sample WHERE id BETWEEN ?1 AND ?2
            UNION ALL SELECT id FROM deleted_object WHERE id BETWEEN ?1 AND ?2
            """), arguments: [block.header.firstChange, block.header.lastChange])
      return block.count - changes.count + others.count { changes.contains($0) }
    }
  }

  private static func isLongerThanType(
    _ block: StoredBlock, in database: Database
  ) throws(BlockFailure) -> Bool {
    guard let longest = block.durations?.max() else { return false }
    return try reading { () throws in
      try Bool.fetchOne(
        database.cachedStatement(sql: "SELECT longest < ? FROM object_type WHERE id = ?"),
        arguments: [longest, block.header.type]) ?? false
    }
  }

  private static func reading<Value>(_ body: () throws -> Value) throws(BlockFailure) -> Value {
    do {
      return try body()
    } catch {
      throw .sqlite(
        (error as? DatabaseError)?.extendedResultCode.rawValue ?? ResultCode.SQLITE_ERROR.rawValue)
    }
  }
}
