import CEncryptedFiles
import Foundation
import GRDB
import Testing

@testable import HealthStorage
@testable import TestSupport

/// Tests the encrypting VFS: the bytes on the disk, and what SQLite reads.
@Suite(.enabled(if: hasKeyring, withoutKeyring)) struct EncryptionFileTests {
  private static let words = ["heartbeat-marker", "org.hrgate.monitor.F0:0D", "Strap of Anna"]

  private static func markedRecords(_ count: Int) -> [SampleRecord] {
    (0..<count).map { place in
      record(
        Double(place), at: Int64(place) * 1_000_000, type: words[0],
        from: Provenance(
          revision: SourceRevisionRecord(
            source: SourceRecord(bundleIdentifier: words[1], name: words[2]), version: nil, productType: nil,
            operatingSystem: "1.0.0"), device: nil))
    }
  }

  @Test func `no value, name, SQL text or header of SQLite is in any file, also in the log and in a crash`()
    async throws
  {
    let fixture = try await EncryptedStoreFixture(Self.markedRecords(200))
    let store = try SampleDatabase.open(at: fixture.path)
    try await store.save(
      Self.markedRecords(200).map { record in
        var record = record
        record.uuid = UUID()
        return record
      })
    // Read the files of an open store, whose write-ahead log is not in the database yet, as after a crash.
    let wanted = Self.words + ["SQLite format 3", "CREATE TABLE", "sample", "hrgt"]
    let names = try fixture.names()
    #expect(names.contains("-wal") && names.contains("-keys"))
    for name in names where !["-gateway", "-shm"].contains(name) {
      let bytes = fixture.file(name)
      for word in wanted { #expect(!bytes.containsBytes(word), "\(name): \(word)") }
      #expect(bytes.count > 4096)
      // The bound is the entropy of random bytes, corrected for the size of the file.
      #expect(entropy(bytes) > 8 - 400.0 / Double(bytes.count) - 0.005, "\(name) \(entropy(bytes))")
    }
    // Decrypted with the key, the content has the words.
    let content = try fixture.content()
    #expect(content.containsBytes("SQLite format 3") && content.containsBytes(Self.words[0]))
    #expect(!fixture.file("-shm").containsBytes(Self.words[0]))
    try store.close()
  }

  @Test func `a plain store keeps the methods and the format of SQLite`() async throws {
    let fixture = try await EncryptedStoreFixture(isEncrypted: false)
    #expect(fixture.file().containsBytes("SQLite format 3"))
    #expect(try fixture.names() == [""])
    #expect(try await fixture.samples().count == 50)
  }

  /// XTS encrypts each block of 16 bytes separately, so a partly written page does not damage unwritten
  /// blocks.
  @Test
  func
    `a block that does not change keeps its ciphertext, and any mix of two versions decrypts to their mix`()
    async throws
  {
    let fixture = try await EncryptedStoreFixture()
    let before = (file: fixture.file(), content: try fixture.content())
    let store = try SampleDatabase.open(at: fixture.path)
    try await store.save(newRecords(9))
    try await store.writer.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
    try store.close()
    let after = (file: fixture.file(), content: try fixture.content())
    let header = ENCRYPTED_HEADER
    #expect(before.file.prefix(header) == after.file.prefix(header))
    var (changed, same) = (0, 0)
    let count = min(before.content.count, after.content.count)
    for block in stride(from: 0, to: count, by: 16) {
      let isSame = before.content[block..<block + 16] == after.content[block..<block + 16]
      let (old, new) = (
        before.file[header + block..<header + block + 16], after.file[header + block..<header + block + 16]
      )
      #expect((old == new) == isSame)
      if isSame { same += 1 } else { changed += 1 }
    }
    #expect(changed > 10 && same > 1000)
    // Simulate a power failure after which some sectors have the old content and the others the new one.
    var generator = SeededGenerator(seed: 3)
    var (torn, wanted) = (after.file, after.content)
    for sector in stride(from: 0, to: count, by: 512) where Bool.random(using: &generator) {
      torn.replaceSubrange(
        header + sector..<header + sector + 512, with: before.file[header + sector..<header + sector + 512])
      wanted.replaceSubrange(sector..<sector + 512, with: before.content[sector..<sector + 512])
    }
    let path = fixture.path + "-torn"
    try Data(torn).write(to: URL(filePath: path))
    #expect(try fixture.content(of: path) == wanted)
  }

  /// A power failure can leave any first part of the write-ahead log.
  @Test func `a log that ends anywhere gives the transactions before its end`() async throws {
    let fixture = try await EncryptedStoreFixture()
    let store = try SampleDatabase.open(at: fixture.path)
    for batch in 0..<5 { try await store.save([record(Double(batch), at: 10_000 + Int64(batch))]) }
    let (database, log) = (fixture.file(), fixture.file("-wal"))
    let keys = fixture.file("-keys")
    try store.close()
    var counts: Set<Int> = []
    var generator = SeededGenerator(seed: 4)
    let ends =
      [0, 100, 4095, 4096, 4100, 4128, log.count]
      + (0..<25).map { _ in Int.random(in: 4096..<log.count, using: &generator) }
    var last = 0
    for end in ends.sorted() {
      let copy = fixture.folder.path("copy-\(end).sqlite")
      try Data(database).write(to: URL(filePath: copy))
      try Data(log.prefix(end)).write(to: URL(filePath: copy + "-wal"))
      try Data(keys).write(to: URL(filePath: copy + "-keys"))
      let store = try SampleDatabase.open(at: copy)
      #expect(try await store.integrity() == ["ok"])
      let count = try await store.samples(.everything, order: []).count
      #expect(count >= last, "\(end)")
      last = count
      counts.insert(count)
      try store.close()
    }
    #expect(counts.count > 3 && counts.contains(55), "\(counts)")
  }

  @Test func `pages of all sizes pass through the log and the journal`() async throws {
    let fixture = try await EncryptedStoreFixture()
    let store = try #require(try EncryptedFiles.store(at: fixture.path))
    let key = try #require(try Keyring.key(of: store))
    for size in [512, 2048, 65_536] {
      for mode in ["wal", "delete", "truncate", "persist"] {
        let path = fixture.folder.path("\(mode)-\(size).sqlite")
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        try EncryptedFiles.create(at: path, of: store, with: key)
        let queue = try DatabaseQueue(path: path)
        try await queue.writeWithoutTransaction { database in
          try database.execute(
            sql: """
              PRAGMA page_size = \(size); PRAGMA journal_mode = \(mode); PRAGMA cache_size = 5;
              PRAGMA synchronous = OFF
              """)
          try database.execute(sql: "CREATE TABLE t (a, b); CREATE INDEX i ON t (b)")
          for round in 0..<6 {
            try database.inTransaction {
              try database.execute(
                sql: """
                  INSERT INTO t WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
                  SELECT i, hex(randomblob(40)) FROM n
                  """)
              try database.execute(sql: "SAVEPOINT s; DELETE FROM t WHERE a % 3 = \(round % 3)")
              if round % 2 == 0 { try database.execute(sql: "ROLLBACK TO s") }
              try database.execute(sql: "RELEASE s")
              return round % 4 == 3 ? .rollback : .commit
            }
          }
          // Sorting 1,500 rows with a small cache needs a temporary file, which must be encrypted too.
          let sorted = try String.fetchAll(database, sql: "SELECT b FROM t ORDER BY b || a")
          #expect(sorted == sorted.sorted())
        }
        try queue.close()
        let other = try DatabaseQueue(path: path)
        let (count, found) = try await other.read { database in
          (
            try Int.fetchOne(database, sql: "SELECT count(*) FROM t"),
            try SQLiteCheck.problems("integrity_check", in: database)
          )
        }
        #expect(found == [], "\(mode) \(size)")
        #expect((count ?? 0) > 500, "\(mode) \(size)")
        try other.close()
      }
    }
  }

  @Test func `a hole in the file reads as zeros`() async throws {
    let fixture = try await EncryptedStoreFixture()
    let size = StoreFile.size(at: fixture.path)
    #expect(truncate(fixture.path, off_t(size + 8192)) == 0)
    let content = try fixture.content()
    #expect(content.suffix(8192).allSatisfy { $0 == 0 })
    #expect(content.prefix(100).contains { $0 != 0 })
  }

  /// Opening a store starts with a read-only connection, which cannot roll back with the journal of a killed
  /// program.
  @Test(arguments: [false, true]) func `the journal of an interrupted transaction is applied`(
    isEncrypted: Bool
  )
    async throws
  {
    let fixture = try await EncryptedStoreFixture(mixedRecords(300), isEncrypted: isEncrypted)
    let (path, copy) = (fixture.path, fixture.folder.path("copy.sqlite"))
    let queue = try DatabaseQueue(path: path)
    try await queue.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA journal_mode = DELETE; PRAGMA cache_size = 2")
      try database.inTransaction {
        try database.execute(sql: "UPDATE sample SET value = value + 1; DELETE FROM sample WHERE id % 2 = 0")
        for suffix in ["", "-journal"] {
          try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
        }
        return .rollback
      }
    }
    try queue.close()
    #expect(try Data(contentsOf: URL(filePath: copy)) != Data(fixture.file()))
    let store = try SampleDatabase.open(at: copy)
    #expect(try await store.samples(.everything, order: []).count == 300)
    #expect(try await store.integrity() == ["ok"])
    try store.close()
  }

  @Test func `core dumps omit the memory of a process with an encrypted store`() async throws {
    let fixture = try await EncryptedStoreFixture()
    #expect(try await fixture.samples().count == 50)
    let filter = try String(contentsOfFile: "/proc/self/coredump_filter", encoding: .utf8)
    #expect(UInt(filter.trimmingCharacters(in: .whitespacesAndNewlines), radix: 16) == 0x10)
  }

  // MARK: - Damage

  @Test(arguments: [0, 2048]) func `a damaged copy of the header is replaced by the other`(offset: Int)
    async throws
  {
    let fixture = try await EncryptedStoreFixture()
    let sound = fixture.file()
    var generator = SystemRandomNumberGenerator()
    for place in [0, 16, 20, 32, 47, 50, 100, 130, 145, Int.random(in: 0..<156, using: &generator)] {
      var bytes = sound
      bytes[offset + place] ^= 0x10
      try Data(bytes).write(to: URL(filePath: fixture.path))
      #expect(try await fixture.samples().count == 50, "\(place)")
      #expect(try !StoreEncryption.status(ofStoreAt: fixture.path).isLocked, "\(place)")
    }
  }

  @Test func `a file with two damaged headers is an error, and is left as it is`() async throws {
    let fixture = try await EncryptedStoreFixture()
    let (sound, keys) = (fixture.file(), fixture.file("-keys"))
    for place in [0, 32, 50, 145] {
      var bytes = sound
      for offset in [0, 2048] { bytes[offset + place] ^= 0x10 }
      try Data(bytes).write(to: URL(filePath: fixture.path))
      #expect(throws: StorageError.unrecognisable(path: fixture.path), "\(place)") {
        try SampleDatabase.open(at: fixture.path)
      }
      // The keys are kept, because they are needed if the header is repaired, or if a backup replaces the
      // file.
      #expect(throws: (any Error).self, "\(place)") { try fixture.encrypt() }
      #expect(throws: (any Error).self, "\(place)") { try StoreEncryption.decrypt(fixture.path) }
      #expect(fixture.file() == bytes && fixture.file("-keys") == keys, "\(place)")
    }
    try Data(sound).write(to: URL(filePath: fixture.path))
    #expect(try await fixture.samples().count == 50)
  }

  @Test func `a plain backup that replaces a store with a damaged header is encrypted`() async throws {
    let fixture = try await EncryptedStoreFixture(isEncrypted: false)
    let backup = fixture.folder.path("backup.sqlite")
    try StoreUpkeep.backUp(fixture.path, to: backup)
    try fixture.encrypt()
    var bytes = fixture.file()
    for offset in [0, 2048] { bytes[offset + 32] ^= 0x10 }
    try Data(bytes).write(to: URL(filePath: fixture.path))
    _ = try StoreUpkeep.restore(fixture.path, from: backup)
    #expect(try StoreEncryption.status(ofStoreAt: fixture.path).isEncrypted)
    #expect(try await fixture.samples().count == 50)
  }

  @Test func `damaged content is found by the check of the store`() async throws {
    let fixture = try await EncryptedStoreFixture(mixedRecords(500))
    var bytes = fixture.file()
    for place in stride(from: 8192 + 100, to: bytes.count, by: 4096) { bytes[place] ^= 1 }
    try Data(bytes).write(to: URL(filePath: fixture.path))
    let findings = try StoreUpkeep.check(at: fixture.path).findings
    #expect(!findings.isEmpty)
  }

  // MARK: - Locking

  @Test func `locking ends the access of open connections too, and unlocking gives it back`() async throws {
    let fixture = try await EncryptedStoreFixture()
    let store = try SampleDatabase.open(at: fixture.path)
    #expect(try await store.samples(.everything, order: []).count == 50)
    #expect(try StoreEncryption.lock(fixture.path))
    await #expect(throws: StorageError.locked) { try await store.samples(.everything, order: []) }
    await #expect(throws: StorageError.locked) { try await store.save(newRecords(3)) }
    #expect(throws: StorageError.locked) { try SampleDatabase.open(at: fixture.path) }
    #expect(throws: StorageError.locked) { try StoreUpkeep.check(at: fixture.path) }
    #expect(throws: StorageError.locked) { try StoreUpkeep.refuseDamaged(fixture.path) }
    #expect(throws: StorageError.locked) { try StoreUpkeep.backUp(fixture.path, to: fixture.path + "-b") }
    #expect(!StorageError.locked.lasts)
    try fixture.unlock()
    #expect(try await store.samples(.everything, order: []).count == 50)
    try await store.save(newRecords(3))
    #expect(try await store.samples(.everything, order: []).count == 53)
    try store.close()
  }

  @Test func `a timeout locks the store`() async throws {
    let fixture = try await EncryptedStoreFixture()
    try StoreEncryption.unlock(fixture.path, with: secret("correct horse"), timeout: 1)
    #expect(try StoreEncryption.status(ofStoreAt: fixture.path).isLocked == false)
    try await Task.sleep(for: .seconds(2.5))
    #expect(try StoreEncryption.status(ofStoreAt: fixture.path).isLocked)
    #expect(throws: StorageError.locked) { try SampleDatabase.open(at: fixture.path) }
    try fixture.unlock()
    #expect(try await fixture.samples().count == 50)
  }

  @Test func `temporary files are encrypted once a store is`() async throws {
    let fixture = try await EncryptedStoreFixture()
    let store = try SampleDatabase.open(at: fixture.path)
    #expect(encrypted_files_opened() > 0)
    // The temporary file has no name, so find it among the open descriptors of this process.
    let queue = try DatabaseQueue(path: "")
    try await queue.writeWithoutTransaction { database in
      try database.execute(
        sql: "PRAGMA cache_size = 5; PRAGMA cache_spill = 1; CREATE TABLE t (a)")
      try database.execute(
        sql: """
          INSERT INTO t WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
          SELECT 'temporary-marker ' || i FROM n
          """)
      let files = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter { name in
        let target =
          (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")) ?? ""
        return target.contains("etilqs_") && target.hasSuffix("(deleted)")
      }
      let contents = files.compactMap { FileManager.default.contents(atPath: "/proc/self/fd/\($0)") }
      #expect(contents.contains { $0.count > 50_000 })
      #expect(!contents.contains { Array($0).containsBytes("temporary-marker") })
      #expect(try Int.fetchOne(database, sql: "SELECT count(DISTINCT a) FROM t") == 5000)
    }
    try store.close()
  }
}
