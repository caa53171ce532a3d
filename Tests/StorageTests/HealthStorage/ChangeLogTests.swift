import Foundation
import GRDB
import Synchronization
import Testing

@testable import HealthStorage

@Suite(.timeLimit(.minutes(30))) struct ChangeLogTests {
  private func changes(
    in database: SampleDatabase, after last: SampleChanges? = nil
  ) async throws -> SampleChanges {
    try await database.changes(
      [("t", .everything)], after: last?.position ?? 0, of: last?.store, limit: nil)
  }

  /// Runs `body` with a store of two samples, and a copy of the store.
  private func withBackup(
    _ body: (_ database: SampleDatabase, _ backup: SampleDatabase) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { directory in
      let database = try SampleDatabase.open(at: directory + "/s")
      _ = try await database.save([record(1, at: 1), record(2, at: 2)])
      try await database.writer.vacuum(into: directory + "/backup")
      try await body(database, try SampleDatabase.open(at: directory + "/backup"))
    }
  }

  @Test func `a position beyond a restored backup is rejected`() async throws {
    try await withBackup { database, backup in
      _ = try await database.save([record(3, at: 3)])
      let later = try await changes(in: database)
      #expect(try await changes(in: backup, after: later).added.count == 2)
    }
  }

  @Test func `a position of another history is rejected`() async throws {
    try await withBackup { database, backup in
      _ = try await database.save([record(3, at: 3)])
      let later = try await changes(in: database)
      _ = try await backup.save([record(4, at: 4), record(5, at: 5)])
      #expect(try await changes(in: backup, after: later).added.map(\.value) == [1, 2, 4, 5])
      #expect(try await changes(in: database, after: later).added.isEmpty)
    }
  }

  @Test func `a position that both histories share is accepted`() async throws {
    try await withBackup { database, backup in
      let shared = try await changes(in: database)
      _ = try await backup.save([record(4, at: 4)])
      #expect(try await changes(in: backup, after: shared).added.map(\.value) == [4])
    }
  }

  @Test func `a position whose sample was deleted is accepted`() async throws {
    let database = try SampleDatabase.inMemory()
    let sample = record(2, at: 2)
    _ = try await database.save([record(1, at: 1), sample])
    let before = try await changes(in: database)
    try await database.delete([sample.uuid], savedBy: "s")
    let after = try await changes(in: database, after: before)
    #expect(after.added.isEmpty)
    #expect(after.deleted.map(\.uuid) == [sample.uuid])
    #expect(try await changes(in: database, after: after).deleted.isEmpty)
  }

  @Test func `a condition on containers does not read older containers again`() async throws {
    let asked = Mutex(0)
    let database = try SampleDatabase.inMemory(
      Interpretation(
        metadataSatisfy: { _, _ in false },
        archiveSatisfies: { _, _ in
          asked.withLock { $0 += 1 }
          return true
        }, containerSatisfies: { _, _, _ in false }))
    func container() -> SampleRecord {
      SampleRecord(
        uuid: UUID(), type: "c", start: 1, end: 1, provenance: provenance(), content: .archive([1]))
    }
    _ = try await database.save((0..<10).map { _ in container() })
    let before = try await database.lastChange()
    _ = try await database.save([container()])
    let filter = SampleFilter.container(types: ["c"], EncodedCondition(Data()))
    #expect(try await database.changedTypes([("c", filter)], after: before).types == ["c"])
    #expect(try await database.changes([("c", filter)], after: before, of: nil, limit: nil).added.count == 1)
    #expect(
      try await database.changes([("c", .not(filter))], after: before, of: nil, limit: nil).added.isEmpty)
    #expect(asked.withLock { $0 } == 3)
  }

  @Test func `the stream of ticks ends when the database is deinitialized`() async throws {
    try await withTemporaryDirectory { directory in
      var database: SampleDatabase? = try SampleDatabase.open(at: directory + "/s")
      let ticks = database?.commits()
      database = nil
      var iterator = ticks?.makeAsyncIterator()
      while await iterator?.next() != nil {}
    }
  }
}
