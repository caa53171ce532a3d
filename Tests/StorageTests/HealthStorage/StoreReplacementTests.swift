import FileSystem
import Foundation
import GRDB
import Testing

@testable import HealthStorage

/// Tests replacing a store with another file.
@Suite struct StoreReplacementTests {
  private struct RefusedError: Error {}

  /// Runs `body` with a store of three hundred samples, whose first value is only in the write-ahead log, and
  /// with a backup of two hundred samples.
  private func withStore(_ body: (_ path: String, _ new: String) throws -> Void) async throws {
    try await withTemporaryDirectory { directory in
      let (path, new, made) = (directory + "/s", directory + "/new", directory + "/made")
      let backup = try SampleDatabase.open(at: new)
      try await backup.save(mixedRecords(200))
      try backup.close()
      let store = try SampleDatabase.open(at: made)
      try await store.save(mixedRecords(300))
      try await store.writer.writeWithoutTransaction { database in
        try database.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        try database.execute(sql: "UPDATE sample SET value = 7 WHERE id = 1")
      }
      // Copy the files of the open store, as a power failure would leave them.
      for suffix in ["", "-wal"] {
        try FileManager.default.copyItem(atPath: made + suffix, toPath: path + suffix)
      }
      try store.close()
      try body(path, new)
    }
  }

  private func count(_ path: String) throws -> Int? { try StoreUpkeep.check(at: path).size?.samples }

  private func firstValue(_ path: String) throws -> Double? {
    try StoreUpkeep.reading(path).read {
      try Double.fetchOne($0, sql: "SELECT value FROM sample WHERE id = 1")
    }
  }

  @Test func `no program opens the store while it is replaced, and no log entry is lost`() async throws {
    try await withStore { path, new in
      let directory = (path as NSString).deletingLastPathComponent
      let kept = try StoreReplacement(of: path).take(new) { old, name in
        #expect(FileLock.isTaken(directory) == true)
        // The old store exists until it is moved.
        #expect(access(path, F_OK) == 0)
        try StoreFile.move(old, to: name)
      }
      #expect(access(path + "-wal", F_OK) != 0)
      #expect(try count(path) == 200)
      let old = try #require(kept)
      #expect(try firstValue(old) == 7)
    }
  }

  @Test func `a failed replacement leaves the store unchanged`() async throws {
    try await withStore { path, new in
      #expect(throws: RefusedError.self) {
        try StoreReplacement(of: path).take(new) { _, _ in throw RefusedError() }
      }
      let value = try firstValue(path)
      #expect(value == 7)
      #expect(access(path + ".before-restore", F_OK) != 0)
    }
  }

  /// SQLite cannot open such a store, so its write-ahead log is not merged but moved with it.
  @Test(arguments: [1, 2, 3])
  func `a store that cannot be opened is unchanged if any step fails, including its log`(step: Int)
    async throws
  {
    try await withStore { path, new in
      try FileManager.default.createDirectory(atPath: path + "-shm", withIntermediateDirectories: false)
      let bytes = try Data(contentsOf: URL(filePath: path))
      let log = try Data(contentsOf: URL(filePath: path + "-wal"))
      var steps = 0
      #expect(throws: RefusedError.self) {
        try StoreReplacement(of: path).take(new) { old, name in
          steps += 1
          if steps == step { throw RefusedError() }
          try StoreFile.move(old, to: name)
        }
      }
      #expect(steps == step)
      #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
      #expect(try Data(contentsOf: URL(filePath: path + "-wal")) == log)
      let kept = try #require(try StoreReplacement(of: path).take(new))
      #expect(try Data(contentsOf: URL(filePath: kept + "-wal")) == log)
      rmdir(path + "-shm")
      #expect(try count(path) == 200)
    }
  }

  // MARK: - A rollback journal

  /// Runs `body` with a store whose writer was killed during a transaction without WAL: the file has the new
  /// data, and the journal the old data.
  private func withInterruptedStore(
    _ body: (_ path: String, _ new: String) throws -> Void
  ) async throws {
    try await withStore { path, new in
      try StoreUpkeep.backUp(path, to: path + ".plain")
      let writer = try DatabaseQueue(path: path + ".plain")
      try writer.inDatabase { database in
        // With this cache size, each page is written to the journal and the file as soon as it is modified.
        try database.execute(sql: "PRAGMA cache_size = 1; BEGIN; UPDATE sample SET value = value + 100")
        for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
        for suffix in ["", "-journal"] {
          try FileManager.default.copyItem(atPath: path + ".plain" + suffix, toPath: path + suffix)
        }
        try database.execute(sql: "ROLLBACK")
      }
      try writer.close()
      try body(path, new)
    }
  }

  @Test func `an interrupted transaction is rolled back, not applied to the new store`() async throws {
    try await withInterruptedStore { path, new in
      let kept = try #require(try StoreReplacement(of: path).take(new))
      #expect(access(path + "-journal", F_OK) != 0)
      let findings = try StoreUpkeep.check(at: path).findings
      #expect(findings == [])
      let counts = [try count(path), try count(kept)]
      #expect(counts == [200, 300])
      let value = try firstValue(kept)
      #expect(value == 7)
    }
  }

  /// SQLite cannot open such a store, so it cannot roll back the transaction.
  @Test func `the journal of a store that cannot be opened is kept with that store`() async throws {
    try await withInterruptedStore { path, new in
      let handle = try FileHandle(forWritingTo: URL(filePath: path))
      try handle.write(contentsOf: Data(repeating: 0xA5, count: 100))
      try handle.close()
      // Damage the journal too, because SQLite would restore the header from it.
      try FileManager.default.removeItem(atPath: path + "-journal")
      try Data(repeating: 0, count: 512).write(to: URL(filePath: path + "-journal"))
      let kept = try #require(try StoreReplacement(of: path).take(new))
      #expect(access(path + "-journal", F_OK) != 0 && access(kept + "-journal", F_OK) == 0)
      let count = try count(path)
      #expect(count == 200)
    }
  }

  @Test func `the journal of a missing store is not applied to the new one`() async throws {
    try await withInterruptedStore { path, new in
      unlink(path)
      let kept = try StoreReplacement(of: path).take(new)
      #expect(kept == nil && access(path + "-journal", F_OK) != 0)
      let findings = try StoreUpkeep.check(at: path).findings
      #expect(findings == [])
      let count = try count(path)
      #expect(count == 200)
    }
  }
}
