import Foundation
import GRDB
import Testing

@testable import HealthStorage

@Suite(.timeLimit(.minutes(30))) struct OpeningTests {
  @Test func `the writer uses synchronous=FULL`() async throws {
    try await withTemporaryDirectory { directory in
      let database = try SampleDatabase.open(at: directory + "/s")
      let (synchronous, journal, foreignKeys) = try await database.writer.writeWithoutTransaction {
        database in
        (
          try Int.fetchOne(database, sql: "PRAGMA synchronous"),
          try String.fetchOne(database, sql: "PRAGMA journal_mode"),
          try Int.fetchOne(database, sql: "PRAGMA foreign_keys")
        )
      }
      #expect(synchronous == 2)
      #expect(journal == "wal")
      #expect(foreignKeys == 1)
    }
  }

  @Test func `the page cache of the writer can be limited`() async throws {
    try await withTemporaryDirectory { directory in
      let database = try SampleDatabase.open(at: directory + "/s")
      try database.limitPageCache(toKilobytes: 300)
      let size = try await database.writer.writeWithoutTransaction {
        try Int.fetchOne($0, sql: "PRAGMA cache_size")
      }
      #expect(size == -300)
    }
  }

  @Test func `several programs can create the same store concurrently`() async throws {
    try await withTemporaryDirectory { directory in
      for round in 0..<30 {
        let path = directory + "/\(round)"
        try await withThrowingTaskGroup(of: Void.self) { group in
          for value in 0..<4 {
            group.addTask {
              try await SampleDatabase.open(at: path).save([record(Double(value), at: Int64(value))])
            }
          }
          try await group.waitForAll()
        }
        #expect(try await SampleDatabase.open(at: path).samples(.everything, order: []).count == 4)
      }
    }
  }

  @Test func `a store behind a link is watched in its real directory`() async throws {
    try await withTemporaryDirectory { directory in
      try FileManager.default.createDirectory(atPath: directory + "/a", withIntermediateDirectories: false)
      try FileManager.default.createDirectory(atPath: directory + "/b", withIntermediateDirectories: false)
      let real = directory + "/a/s"
      let link = directory + "/b/s"
      _ = try SampleDatabase.open(at: real)
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: real)
      #expect(try StoreFile.prepare(at: link) == StoreFile.prepare(at: real))
      #expect(try StoreFile.prepare(at: link).hasSuffix("/a/s"))
      let linked = try SampleDatabase.open(at: link)
      let other = try SampleDatabase.open(at: real)
      var ticks = linked.commits().makeAsyncIterator()
      _ = try await other.save([record(1, at: 1)])
      #expect(await ticks.next() != nil)
    }
  }

  @Test func `saved samples are read after reopening`() async throws {
    try await withTemporaryDirectory { directory in
      let sample = record(1, at: 5)
      _ = try await SampleDatabase.open(at: directory + "/s").save([sample])
      let found = try await SampleDatabase.open(at: directory + "/s").samples(.everything, order: [])
      #expect(found.map(\.uuid) == [sample.uuid])
    }
  }

  @Test func `another program's database is rejected and unchanged`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/other"
      try await DatabaseQueue(path: path).write {
        try $0.execute(sql: "CREATE TABLE t (a); PRAGMA application_id = 7")
      }
      let before = try Data(contentsOf: URL(fileURLWithPath: path))
      #expect(throws: StorageError.notASampleDatabase(path: path, found: 7)) {
        try SampleDatabase.open(at: path)
      }
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    }
  }

  @Test func `a file that is not a database is rejected and unchanged`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/text"
      let text = Data(String(repeating: "not a database ", count: 100).utf8)
      try text.write(to: URL(fileURLWithPath: path))
      #expect(throws: StorageError.notASampleDatabase(path: path, found: 0)) {
        try SampleDatabase.open(at: path)
      }
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == text)
    }
  }

  @Test func `a newer schema is rejected`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/s"
      let database = try SampleDatabase.open(at: path)
      try await database.writer.write { database in
        try database.execute(sql: "INSERT INTO grdb_migrations (identifier) VALUES ('99')")
      }
      #expect(throws: StorageError.newerSchema(path: path, found: "99")) {
        try SampleDatabase.open(at: path)
      }
    }
  }

  @Test func `an interrupted creation is completed`() async throws {
    try await withTemporaryDirectory { directory in
      // The file exists without a schema, as after a power failure before the schema was committed.
      #expect(FileManager.default.createFile(atPath: directory + "/s", contents: Data()))
      let outcome = try await SampleDatabase.open(at: directory + "/s").save([record(1, at: 1)])
      #expect(outcome.stored == 1)
    }
  }

  @Test func `changes of another connection are noticed`() async throws {
    try await withTemporaryDirectory { directory in
      let first = try SampleDatabase.open(at: directory + "/s")
      let second = try SampleDatabase.open(at: directory + "/s")
      func named(_ name: String) -> Provenance {
        let source = SourceRecord(bundleIdentifier: "s", name: name)
        return Provenance(
          revision: SourceRevisionRecord(
            source: source, version: nil, productType: nil, operatingSystem: "1.0.0"), device: nil)
      }
      _ = try await first.save([record(1, at: 0, lasting: 10, from: named("old"))])
      _ = try await second.save([record(2, at: 0, lasting: 100, from: named("new"))])
      _ = try await first.save([record(3, at: 0, lasting: 50, from: named("old"))])
      #expect(try await second.sources(.everything).map(\.name) == ["old"])
      let late = try await first.samples(.all([.type("t"), .endsFrom(90)]), order: [])
      #expect(late.map(\.value) == [2])
    }
  }

  @Test func twoOpenersShareOneFile() async throws {
    try await withTemporaryDirectory { directory in
      let first = try SampleDatabase.open(at: directory + "/s")
      let second = try SampleDatabase.open(at: directory + "/s")
      // Both connections cache interned rows, and each must notice the other's commits.
      for value in 0..<6 {
        let metadata = EncodedMetadata(["k": .integer(Int64(value / 2))])
        let from = provenance(source: "s\(value / 2)")
        let sample = record(Double(value), at: Int64(value), from: from, metadata: metadata)
        _ = try await (value % 2 == 0 ? first : second).save([sample])
      }
      let found = try await first.samples(.everything, order: [.start(ascending: true)])
      #expect(found.map(\.value) == [0, 1, 2, 3, 4, 5])
      #expect(found.map { $0.metadata?.values["k"] } == [0, 0, 1, 1, 2, 2].map { .integer($0) })
      #expect(try await second.sources(.everything).count == 3)
    }
  }

  @Test func `a store is empty until the first write, and not again after a deletion`()
    async throws
  {
    try await withTemporaryDirectory { directory in
      let database = try SampleDatabase.open(at: directory + "/s")
      #expect(try await database.isEmpty())
      let sample = record(1, at: 5)
      _ = try await database.save([sample])
      #expect(try await !database.isEmpty())
      _ = try await database.delete([sample.uuid], savedBy: "s")
      #expect(try await !database.isEmpty())
    }
  }

  @Test func `a store with a monitor is not empty`() async throws {
    let database = try SampleDatabase.inMemory()
    #expect(try await database.isEmpty())
    try await database.enrol(
      MonitorRecord(address: AddressRecord(text: "C0:FF:EE:00:00:01", kind: 1), isBonded: false, enrolled: 1))
    #expect(try await !database.isEmpty())
  }
}
