import GRDB
import GRDBSQLite
import Synchronization
import Testing

@testable import HealthStorage

/// Tests the cost of new sources. A recording of a busy or hostile place may have a new source in each frame.
@Suite struct SourceCostTests {
  /// Returns records of sources that the store does not know. Each has a device.
  private func batch(_ numbers: Range<Int>) -> [SampleRecord] {
    numbers.map { number in
      var device = DeviceRecord()
      device.localIdentifier = "\(number)"
      return record(1, at: Int64(number), from: provenance(source: "s\(number)", device: device))
    }
  }

  private struct Work {
    var steps = 0
    var rowsScanned = 0
  }

  /// Returns the work of SQLite since the last call: steps of its virtual machine, and rows visited by full
  /// scans.
  private func work(of database: SampleDatabase) async throws -> Work {
    try await database.writer.write { database in
      var work = Work()
      var statement = sqlite3_next_stmt(database.sqliteConnection, nil)
      while let current = statement {
        work.steps += Int(sqlite3_stmt_status(current, SQLITE_STMTSTATUS_VM_STEP, 1))
        work.rowsScanned += Int(sqlite3_stmt_status(current, SQLITE_STMTSTATUS_FULLSCAN_STEP, 1))
        statement = sqlite3_next_stmt(database.sqliteConnection, current)
      }
      return work
    }
  }

  @Test func `the cost of a new source does not depend on the number of sources`() async throws {
    let database = try SampleDatabase.inMemory()
    _ = try await database.save(batch(0..<1))
    _ = try await work(of: database)
    _ = try await database.save(batch(1..<101))
    let first = try await work(of: database)
    _ = try await database.save(batch(101..<2000))
    _ = try await work(of: database)
    _ = try await database.save(batch(2000..<2100))
    let later = try await work(of: database)
    #expect(first.steps > 100)
    #expect(later.steps == first.steps)
    #expect(later.rowsScanned == 0)
  }

  @Test func `the cache of sources is bounded`() async throws {
    let database = try SampleDatabase.inMemory()
    let count = InternedRows.provenanceCapacity + 100
    for start in stride(from: 0, to: count, by: 500) {
      _ = try await database.save(batch(start..<min(start + 500, count)))
    }
    database.interned.rows.withLock { rows in
      #expect((1...InternedRows.provenanceCapacity).contains(rows.provenances.count))
      #expect((1...InternedRows.provenanceCapacity).contains(rows.sourceNames.count))
    }
    // A source that is not in the cache any more is found in the table, and not inserted again.
    _ = try await database.save([record(2, at: 1, from: batch(0..<1)[0].provenance)])
    let devices = try await database.writer.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM device") }
    #expect(devices == count)
  }

  @Test func `a batch modifies the cache in place`() async throws {
    let database = try SampleDatabase.inMemory()
    _ = try await database.save(batch(0..<10))
    let rows = database.interned.take()
    #expect(rows.provenances.count == 10)
    let left = database.interned.rows.withLock { $0.provenances.count }
    #expect(left == 0, "taken, not copied")
    // The call of `take` above has emptied the cache. The rows are then found in the table, and not inserted
    // again.
    _ = try await database.save([record(2, at: 1, from: batch(0..<1)[0].provenance)])
    let devices = try await database.writer.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM device") }
    #expect(devices == 10)
  }
}
