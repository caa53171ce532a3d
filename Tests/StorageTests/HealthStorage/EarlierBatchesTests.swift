import Foundation
import GRDB
import PackedSamples
import Testing

@testable import HealthStorage
@testable import TestSupport

/// Tests the migration of a store of schema 17, whose batches become segments with the same samples.
@Suite struct EarlierBatchesTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../CommandTests/Stores")
  private static let heartRate = "HKQuantityTypeIdentifierHeartRate"

  /// Runs `body` with a store of schema 17 that has 49 batches.
  /// - Parameter damage: SQL that is executed in the store.
  private func withStore(
    _ damage: String = "", _ body: (_ path: String, _ directory: String) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/s.sqlite"
      let earlier = try DatabaseQueue(path: path)
      let script = try String(contentsOf: Self.folder.appending(path: "schema-17.sql"), encoding: .utf8)
      try await earlier.writeWithoutTransaction { database in
        try database.execute(sql: script)
        try database.execute(sql: damage)
      }
      try earlier.close()
      try await body(path, directory)
    }
  }

  /// Returns the heart rates of the batches, as hrgate of schema 17 printed them: UUID, start and value.
  private static func expected() throws -> [String] {
    try String(contentsOf: folder.appending(path: "schema-17.txt"), encoding: .utf8)
      .split(separator: "\n").map(String.init)
  }

  private static func live(_ store: SampleDatabase) async throws -> [String] {
    let recorded: Int64 = 1_780_000_000_000_000
    return try await store.samples(
      .all([.type(heartRate), .startsFrom(recorded)]), order: [.start(ascending: true)]
    ).map { "\($0.uuid) \($0.start) \(Int($0.value ?? 0))" }
  }

  private func number(_ path: String, _ sql: String) throws -> Int? {
    let database = try DatabaseQueue(path: path)
    defer { try? database.close() }
    return try database.read { try Int.fetchOne($0, sql: sql) }
  }

  @Test func `its samples, counts and positions are the same, and it is sound`() async throws {
    try await withStore { path, _ in
      #expect(try StoreUpkeep.check(at: path).findings == [])
      let size = try #require(try StoreUpkeep.check(at: path).size)
      let last = try #require(try number(path, "SELECT seq FROM sqlite_sequence WHERE name = 'sample'"))
      let segments = try #require(try number(path, "SELECT count(*) FROM block"))
      let store = try SampleDatabase.open(at: path)
      let expected = try Self.expected()
      #expect(try await Self.live(store) == expected)
      // Compare the samples in the order of the change log, in reverse, and by UUID.
      let all = try await store.samples(.everything, order: [.insertion(ascending: true)])
      #expect(all.count == size.samples)
      #expect(
        try await store.samples(.everything, order: [.insertion(ascending: false)])
          == Array(all.reversed()))
      let inserted = all.map { "\($0.uuid) \($0.start) \(Int($0.value ?? 0))" }
      #expect(inserted.filter(Set(expected).contains) == expected)
      #expect(try await store.stored(among: all.map(\.uuid)).count == all.count)
      #expect(try await store.lastChange() == Int64(last))
      #expect(
        try await store.inventory().filter { $0.type == Self.heartRate }.map(\.count).reduce(0, +)
          == 563 + expected.count)
      #expect(try await store.counts(.type(Self.heartRate)) == [Self.heartRate: 563 + expected.count])
      #expect(try await store.read { try $0.tableExists("batch") } == false)
      // Each of the 49 batches becomes a segment of heart rates, and some also one of energies.
      #expect(try await store.blockCount() > segments + 49)
      #expect(try StoreUpkeep.check(at: path).findings == [])
      #expect(try StoreUpkeep.check(at: path).size?.samples == size.samples)
      // The migrated store can be compacted and written to like a new one.
      for hour in try await store.packableHours(in: 0..<Int64.max / 2) { _ = try await store.packHour(hour) }
      #expect(try await store.blockCount() < 12)
      #expect(try await store.samples(.everything, order: [.insertion(ascending: true)]) == all)
      try await store.saveMeasured(1..<2)
      #expect(try await store.lastChange() == Int64(last) + 33)
      #expect(try StoreUpkeep.check(at: path).findings == [])
      try store.close()
      #expect(try await Self.live(SampleDatabase.open(at: path)) == expected)
    }
  }

  @Test func `a migration that ends early changes nothing, and the next one completes`() async throws {
    // Make the insertion of the last batch fail.
    let trigger = """
      CREATE TRIGGER full BEFORE INSERT ON block WHEN new.last_change > 900
      BEGIN SELECT raise(ABORT, 'database or disk is full'); END
      """
    try await withStore(trigger) { path, _ in
      #expect(throws: StorageError.self) { try SampleDatabase.open(at: path) }
      #expect(try number(path, "SELECT count(*) FROM batch") == 49)
      #expect(try number(path, "SELECT count(*) FROM block") == 1)
      #expect(try number(path, "SELECT max(identifier + 0) FROM grdb_migrations") == 17)
      let database = try DatabaseQueue(path: path)
      try await database.write { try $0.execute(sql: "DROP TRIGGER full") }
      try database.close()
      let store = try SampleDatabase.open(at: path)
      #expect(try await Self.live(store) == Self.expected())
      #expect(try StoreUpkeep.check(at: path).findings == [])
    }
  }

  @Test func `a killed migration leaves the store as before or after`() async throws {
    try await withStore { path, directory in
      // A killed migration leaves a part of its write-ahead log, so cut the log at several places.
      let copy = directory + "/c.sqlite"
      let store = try SampleDatabase.open(at: path)
      _ = store
      let log = try Data(contentsOf: URL(filePath: path + "-wal"))
      let file = try Data(contentsOf: URL(filePath: path))
      var migrated = 0
      for part in 0...8 {
        try file.write(to: URL(filePath: copy))
        try log.prefix(log.count * part / 8).write(to: URL(filePath: copy + "-wal"))
        try? FileManager.default.removeItem(atPath: copy + "-shm")
        if try number(copy, "SELECT count(*) FROM grdb_migrations WHERE identifier = '18'") == 1 {
          migrated += 1
        } else {
          #expect(try number(copy, "SELECT count(*) FROM batch") == 49)
          #expect(try number(copy, "SELECT count(*) FROM block") == 1)
        }
        let reopened = try SampleDatabase.open(at: copy)
        #expect(try await Self.live(reopened) == Self.expected())
        try reopened.close()
      }
      #expect((1...8).contains(migrated))
    }
  }

  // MARK: - Damage

  private static let third = "(SELECT id FROM batch ORDER BY id LIMIT 1 OFFSET 2)"

  @Test(arguments: [
    "UPDATE batch SET samples = x'' WHERE id = \(third)",
    """
    UPDATE batch SET samples = CAST(substr(samples, 1, 30) || x'ff' || substr(samples, 32) AS BLOB)
    WHERE id = \(third)
    """,
    "UPDATE batch SET samples = CAST(substr(samples, 1, 20) AS BLOB) WHERE id = \(third)",
    // This statement damages every batch.
    "UPDATE batch SET samples = x'0102030405060708'",
  ])
  func `what cannot be decoded is reported as before, and the rest is kept`(damage: String) async throws {
    try await withStore(damage) { path, directory in
      let before = try StoreUpkeep.check(at: path).findings.filter { $0.kind == .content }
      #expect(!before.isEmpty)
      #expect(
        before.allSatisfy { $0.text.hasPrefix("the samples that an earlier version packed in 2026-11-29T") },
        "\(before)")
      // Recovery can also read a store of the earlier schema.
      let recovered = try StoreUpkeep.recover(path, to: directory + "/new", .ofTests)
      #expect(recovered.dropped["batch"] == before.map(\.count).reduce(0, +))
      #expect(
        recovered.lostBlocks.first?.hasPrefix("the samples that an earlier version packed in 2026-11-29T")
          == true)
      #expect(try StoreUpkeep.check(at: directory + "/new").findings == [])
      let expected = try Self.expected()
      let saved = try await Self.live(SampleDatabase.open(at: directory + "/new"))
      #expect(saved.count < expected.count && Set(saved).isSubset(of: expected))

      let store = try SampleDatabase.open(at: path)
      let after = try StoreUpkeep.check(at: path).findings
      #expect(
        after.allSatisfy { $0.kind == .content && $0.text.hasPrefix("the compressed samples of ") },
        "\(after)")
      #expect(after.map(\.count).reduce(0, +) == before.map(\.count).reduce(0, +))
      await #expect(throws: StorageError.self) { try await Self.live(store) }
      #expect(try await Self.live(store.skippingDamagedBlocks()) == saved)
      // New samples do not get the positions of the damaged segments in the change log.
      try await store.saveMeasured(1..<2)
      #expect(try StoreUpkeep.check(at: path).findings == after)
    }
  }

  @Test func `rows that contradict their bytes, and rows without what they refer to, are converted`()
    async throws
  {
    let damage = """
      UPDATE batch SET count = 9, end = end + 1, first_change = 5 WHERE id = \(Self.third);
      DELETE FROM metadata;
      """
    try await withStore(damage) { path, _ in
      let store = try SampleDatabase.open(at: path)
      #expect(
        try await store.foldValues(
          .type(Self.heartRate), type: Self.heartRate, prepare: { _ in 0 }
        ) { count, _ in count += 1 } == 563 + 278)
      let findings = try StoreUpkeep.check(at: path).findings
      #expect(findings.contains { $0.kind == .reference && $0.text.contains("metadata") }, "\(findings)")
    }
  }

  @Test func `batches on damaged pages are reported, and the others are kept`() async throws {
    try await withStore { path, directory in
      try tear(path)
      let store = try SampleDatabase.open(at: path)
      let live = try await Self.live(store.skippingDamagedBlocks())
      let expected = try Self.expected()
      #expect(live.count > 50 && live.count < expected.count && Set(live).isSubset(of: expected))
      #expect(!store.damagedBlocks.known.isEmpty)
      try await store.saveMeasured(1..<2)
      #expect(try await store.samples(.type("t"), order: []).count == 32)
      try store.close()
      // Opening the migrated store again changes nothing.
      let again = try SampleDatabase.open(at: path)
      #expect(try await Self.live(again.skippingDamagedBlocks()) == live)
      try again.close()
      _ = try StoreUpkeep.recover(path, to: directory + "/new", .ofTests)
      #expect(try StoreUpkeep.check(at: directory + "/new").findings == [])
      #expect(try await Self.live(SampleDatabase.open(at: directory + "/new")) == live)
    }
  }

  /// Damages a page of the table `batch`.
  private func tear(_ path: String) throws {
    let database = try DatabaseQueue(path: path)
    let (page, size) = try database.read {
      (
        try Int.fetchOne(
          $0, sql: "SELECT pageno FROM dbstat WHERE name = 'batch' AND path LIKE '/001/%' LIMIT 1"),
        try Int.fetchOne($0, sql: "PRAGMA page_size") ?? 0
      )
    }
    try database.close()
    let offset = (try #require(page) - 1) * size
    var bytes = try Data(contentsOf: URL(filePath: path))
    bytes.replaceSubrange(offset..<offset + 8, with: Data(repeating: 0xFF, count: 8))
    try bytes.write(to: URL(filePath: path))
  }

  // MARK: - Programs of an earlier version

  @Test func `a store that another program has open is not migrated until that ends`() async throws {
    // In WAL mode SQLite holds a lock on the file while a program has it open.
    try await withStore("PRAGMA journal_mode = WAL") { path, _ in
      // Start a process that keeps the store open, like a gateway of schema 17.
      let (process, input, output) = (Process(), Pipe(), Pipe())
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = ["sqlite3", path]
      process.standardInput = input
      process.standardOutput = output
      try process.run()
      try input.fileHandleForWriting.write(contentsOf: Data("SELECT count(*) FROM sample;\n".utf8))
      _ = try output.fileHandleForReading.read(upToCount: 1)
      let error = #expect(throws: StorageError.self) { try SampleDatabase.open(at: path) }
      guard case .earlierProgram = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect("\(error!)".contains("stop all programs that use the store"))
      // The store was not migrated, so the other program can still write its batches.
      let write = """
        INSERT INTO batch SELECT id + 1000, first_change, start, end, count, samples FROM batch LIMIT 1;
        SELECT 'batches', count(*) FROM batch;
        DELETE FROM batch WHERE id > 1500;
        """
      try input.fileHandleForWriting.write(contentsOf: Data("\(write)\n".utf8))
      try input.fileHandleForWriting.close()
      let printed = try output.fileHandleForReading.readToEnd().map { String(decoding: $0, as: UTF8.self) }
      process.waitUntilExit()
      #expect(printed?.contains("batches|50") == true, "\(String(describing: printed))")
      #expect(try await Self.live(SampleDatabase.open(at: path)) == Self.expected())
    }
  }

  @Test func `a migrated store may be opened by several programs`() async throws {
    try await withStore { path, _ in
      let store = try SampleDatabase.open(at: path)
      let other = try SampleDatabase.open(at: path)
      #expect(try await Self.live(other) == Self.live(store))
    }
  }
}
