import Foundation
import GRDB
import Testing

@testable import HealthStorage
@testable import TestSupport

/// Tests errors while saving: the error has SQLite's name, and nothing is saved in part.
@Suite struct FailureTests {
  private func code(_ body: () async throws -> Void) async -> String? {
    do {
      try await body()
      return nil
    } catch StorageError.sqlite(let code, _) {
      return code
    } catch {
      return "\(error)"
    }
  }

  @Test func aFullDisk() async throws {
    try await withTemporaryDirectory { directory in
      let database = try SampleDatabase.open(at: directory + "/s")
      _ = try await database.save([record(1, at: 1)])
      let pages = try await database.writer.writeWithoutTransaction { database in
        let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
        _ = try Int.fetchOne(database, sql: "PRAGMA max_page_count = \(pages + 2)")
        return pages
      }
      #expect(pages > 0)
      let from = provenance(source: "new")
      let batch = (0..<2000).map { record(2, at: Int64($0), from: from) }
      #expect(await code { _ = try await database.save(batch) } == "SQLITE_FULL")
      #expect(try await database.samples(.everything, order: []).map(\.value) == [1])
      // With enough space, the same batch is saved completely.
      try await database.writer.writeWithoutTransaction { database in
        _ = try Int.fetchOne(database, sql: "PRAGMA max_page_count = 1000000")
      }
      #expect(try await database.save(batch).stored == 2000)
      #expect(try await database.sources(.everything).count == 2)
    }
  }

  @Test func `a read-only connection`() async throws {
    try await withTemporaryDirectory { directory in
      let database = try SampleDatabase.open(at: directory + "/s")
      try await database.writer.writeWithoutTransaction { try $0.execute(sql: "PRAGMA query_only = 1") }
      #expect(await code { _ = try await database.save([record(1, at: 1)]) } == "SQLITE_READONLY")
    }
  }

  @Test func `a file that was moved away, deleted or replaced accepts nothing until it is back`() async throws
  {
    try await withTemporaryDirectory { directory in
      let (path, away) = (directory + "/s", directory + "/away")
      let database = try SampleDatabase.open(at: path)
      #expect(try await database.save([record(1, at: 1)]).stored == 1)
      try FileManager.default.moveItem(atPath: path, toPath: away)
      await #expect(throws: StorageError.fileReplaced(path: path)) {
        try await database.save([record(2, at: 2)])
      }
      await #expect(throws: StorageError.fileReplaced(path: path)) {
        try await database.setCharacteristic("type", to: 1)
      }
      // A new file at the path is another store.
      try Data().write(to: URL(filePath: path))
      await #expect(throws: StorageError.fileReplaced(path: path)) {
        try await database.save([record(2, at: 2)])
      }
      try FileManager.default.removeItem(atPath: path)
      try FileManager.default.moveItem(atPath: away, toPath: path)
      #expect(try await database.save([record(2, at: 2)]).stored == 1)
      #expect(try await database.samples(.everything, order: []).map(\.value) == [1, 2])
    }
  }

  @Test func `a file locked by another connection`() async throws {
    try await withTemporaryDirectory { directory in
      let database = try SampleDatabase.open(at: directory + "/s")
      try await database.writer.writeWithoutTransaction { try $0.execute(sql: "PRAGMA busy_timeout = 0") }
      var configuration = Configuration()
      configuration.allowsUnsafeTransactions = true
      let other = try DatabaseQueue(path: directory + "/s", configuration: configuration)
      try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
      #expect(await code { _ = try await database.save([record(1, at: 1)]) } == "SQLITE_BUSY")
      // Readers do not wait for the lock of the writer.
      #expect(try await SampleDatabase.open(at: directory + "/s").samples(.everything, order: []).isEmpty)
      try await other.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
      #expect(try await database.save([record(1, at: 1)]).stored == 1)
    }
  }

  @Test(.enabled(if: SmallDisk.canMount, "only an administrator can mount a disk"))
  func `opening a store on a read-only file system reports the read-only file system`() throws {
    let disk = try SmallDisk(size: "8m")
    let path = disk.path + "/s"
    _ = try SampleDatabase.open(at: path)
    try disk.makeReadOnly()
    let failure = #expect(throws: StorageError.self) { try SampleDatabase.open(at: path) }
    #expect(failure == .readOnlyFileSystem(path: path))
  }

  @Test func `errors have SQLite's names`() {
    #expect(StorageError.name(of: .SQLITE_FULL) == "SQLITE_FULL")
    #expect(StorageError.name(of: .SQLITE_IOERR_FSYNC) == "SQLITE_IOERR")
    #expect(StorageError.name(of: .SQLITE_CANTOPEN) == "SQLITE_CANTOPEN")
  }

  @Test(arguments: [
    ResultCode.SQLITE_IOERR_SHMMAP, .SQLITE_IOERR_SHMOPEN, .SQLITE_IOERR_SHMLOCK,
  ])
  func `a file system without shared memory is reported with a suggested path`(code: ResultCode) throws {
    let failure = #expect(throws: StorageError.self) {
      try StorageError.translating { throw DatabaseError(resultCode: code, message: "disk I/O error") }
    }
    let text = try #require(failure?.description)
    #expect(text.contains("cannot share memory") && text.contains("/var/lib/hrgate/health.sqlite"))
    #expect(!text.contains("the disk failed"))
  }

  @Test(arguments: [ResultCode.SQLITE_IOERR, .SQLITE_IOERR_SHMSIZE, .SQLITE_IOERR_FSYNC])
  func `a possible disk error is reported as a disk error`(code: ResultCode) throws {
    let failure = #expect(throws: StorageError.self) {
      try StorageError.translating { throw DatabaseError(resultCode: code) }
    }
    #expect(failure?.description.contains("the disk failed") == true)
  }
}
