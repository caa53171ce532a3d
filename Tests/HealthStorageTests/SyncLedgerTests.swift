import Foundation
import GRDB
import Testing

@testable import HealthStorage

/// What is kept of where a store is carried to.
@Suite struct SyncLedgerTests {
  private func destination(_ name: String = "d") -> SyncDestinationRecord {
    SyncDestinationRecord(name: name, address: "file:///x", person: "p", gateway: "g", added: 1)
  }

  private func ledger() async throws -> (SyncLedger, id: Int64) {
    let ledger = SyncLedger(try SampleDatabase.inMemory(), of: nil)
    #expect(try await ledger.add(destination()))
    return (ledger, try #require(try await ledger.destination(named: "d")).id)
  }

  private func carried(
    _ sent: Int = 1, deleted: Int = 0, settled: [UUID] = [], refused: [UUID] = []
  ) -> CarriedRecords {
    CarriedRecords(
      type: "t", sent: sent, deleted: deleted, settled: settled, refused: refused.map { ($0, "no") }, time: 9)
  }

  private func place(_ position: Int64) -> ChangeLogPlace { ChangeLogPlace(position: position, mark: "m") }

  private func step(_ from: Int64?, _ to: Int64, startsAnew: Bool = false) -> CursorStep {
    CursorStep(from: from.map(place), to: place(to), startsAnew: startsAnew)
  }

  @Test func `a destination is kept with all that was said of it`() async throws {
    let database = try SampleDatabase.inMemory()
    let ledger = SyncLedger(database, of: nil)
    var record = SyncDestinationRecord(
      name: "b", address: "postgresql://h/d", types: ["t", "\"u\""], sources: [], earliest: -5,
      person: "p",
      gateway: "", secretFile: "/s", added: 7)
    #expect(try await ledger.add(record))
    #expect(try await ledger.add(destination("a")))
    let kept = try await ledger.destinations()
    #expect(kept.map(\.name) == ["a", "b"])
    record.id = kept[1].id
    #expect(kept[1] == record)
    #expect(kept[0].types == nil && kept[0].sources == nil && kept[0].secretFile == nil)
  }

  @Test func `a name is taken for its owner alone, who sees no others`() async throws {
    let database = try SampleDatabase.inMemory()
    let (user, program) = (SyncLedger(database, of: nil), SyncLedger(database, of: "org.example"))
    #expect(try await user.add(destination()))
    #expect(try await !user.add(destination()))
    #expect(try await program.add(destination()))
    #expect(try await !program.add(destination()))
    #expect(try await program.remove(named: "d"))
    #expect(try await !program.remove(named: "d"))
    #expect(try await program.destinations().isEmpty)
    #expect(try await !program.reset(named: "d"))
    #expect(try await user.destinations().count == 1)
    try user.setValue(Data([1]), forKey: "k")
    try program.setValue(Data([2]), forKey: "k")
    try program.setValue(Data([3]), forKey: "k")
    #expect(try user.value(forKey: "k") == Data([1]) && program.value(forKey: "k") == Data([3]))
    try program.removeValue(forKey: "k")
    #expect(try user.value(forKey: "k") == Data([1]) && program.value(forKey: "k") == nil)
  }

  @Test func `a cursor moves from where it was, or not at all`() async throws {
    let (ledger, id) = try await ledger()
    #expect(try await ledger.save(carried(2, deleted: 1), step(nil, 5), to: id) == .saved)
    #expect(try await ledger.save(carried(), step(nil, 6), to: id) == .superseded)
    #expect(try await ledger.save(carried(), step(4, 6), to: id) == .superseded)
    #expect(try await ledger.save(carried(3), step(5, 6), to: id) == .saved)
    let cursors = try #require(try await ledger.cursors(of: id))
    #expect(cursors == [SyncCursorRecord(type: "t", place: place(6), sent: 5, deleted: 1)])
    #expect(try await ledger.destination(named: "d")?.lastSuccess == 9)
    // Types without news follow, where nobody has moved them meanwhile.
    try await ledger.advance([("t", step(5, 7)), ("u", step(nil, 7))], of: id)
    #expect(try await ledger.cursors(of: id)?.map(\.place) == [place(6), place(7)])
    #expect(try await ledger.reset(named: "d"))
    #expect(try await ledger.cursors(of: id)?.isEmpty == true)
    #expect(try await ledger.save(carried(), step(6, 7), to: id) == .superseded)
    #expect(try await ledger.remove(named: "d"))
    #expect(try await ledger.save(carried(), step(nil, 7), to: id) == .gone)
    #expect(try await ledger.cursors(of: id) == nil)
  }

  @Test func `what is refused is kept until it goes over, and counted`() async throws {
    let (ledger, id) = try await ledger()
    let uuids = [UUID(), UUID(), UUID()]
    #expect(try await ledger.save(carried(refused: uuids), step(nil, 5), to: id) == .saved)
    #expect(try await ledger.save(carried(refused: [uuids[0]]), nil, to: id) == .saved)
    let refusals = try await ledger.refusals(of: id, limit: 9)
    #expect(Set(refusals.map(\.uuid)) == Set(uuids) && refusals.map(\.since) == [9, 9, 9])
    #expect(refusals.map { $0.attempts } == refusals.map { $0.uuid == uuids[0] ? 2 : 1 })
    // In pages.
    let first = try await ledger.refusals(of: id, limit: 2)
    #expect(try await ledger.refusals(of: id, after: first[1].uuid, limit: 2) == [refusals[2]])
    #expect(try await ledger.save(carried(settled: [uuids[1]]), nil, to: id) == .saved)
    #expect(try await ledger.refusalCount(of: id) == 2)
    #expect(try await ledger.cursors(of: id)?.first?.sent == 3)
    // The user has them tried again.
    #expect(try await ledger.refusals(of: id, isDue: true, limit: 9).isEmpty)
    #expect(try await ledger.resetRefusals(named: "d"))
    #expect(try await ledger.refusals(of: id, isDue: true, limit: 9).count == 2)
    // Another log has other records.
    #expect(try await ledger.save(carried(7), step(5, 1, startsAnew: true), to: id) == .saved)
    #expect(try await ledger.refusalCount(of: id) == 0)
    #expect(try await ledger.cursors(of: id)?.first?.sent == 7)
  }

  @Test func `a failure is known from its first to the next success`() async throws {
    let (ledger, id) = try await ledger()
    try await ledger.noteFailure("away", lasts: false, of: id, at: 3)
    try await ledger.noteFailure("no right", lasts: true, of: id, at: 5)
    let failure = SyncDestinationRecord.Failure(text: "no right", since: 3, lasts: true)
    #expect(try await ledger.destination(named: "d")?.failure == failure)
    #expect(try await ledger.save(carried(), step(nil, 5), to: id) == .saved)
    #expect(try await ledger.destination(named: "d")?.failure == nil)
    try await ledger.noteFailure("away", lasts: false, of: id, at: 8)
    try await ledger.noteSuccess(of: id, at: 11)
    #expect(try await ledger.destination(named: "d")?.failure == nil)
    #expect(try await ledger.destination(named: "d")?.lastSuccess == 11)
  }

  @Test func `what changes in its place goes over once more`() async throws {
    let database = try SampleDatabase.inMemory()
    let ledger = SyncLedger(database, of: nil)
    #expect(try await ledger.add(destination()))
    let id = try #require(try await ledger.destination(named: "d")).id
    let monitor = provenance(source: "org.hrgate.monitor.1")
    try await database.save((0..<4).map { record(1, at: Int64($0), from: monitor) })
    try await database.writer.write { database in
      try SampleDatabase.save(
        ClockChangesRecord(settings: [ClockSettingRecord(id: 1, boot: "b", origin: 0, start: 0)]),
        in: database)
    }
    try await database.save((4..<7).map { record(1, at: Int64($0), from: monitor) })
    let all = try await database.changePage(
      "t", .everything, after: nil, ChangePageLimit(count: 99, bytes: 9999))
    #expect(all.added.count == 7 && all.isLast)
    let step = CursorStep(from: nil, to: all.end, startsAnew: false)
    #expect(try await ledger.save(carried(7), step, to: id) == .saved)
    try await database.writer.write { database in
      try SampleDatabase.save(
        ClockChangesRecord(
          corrections: [ClockCorrectionRecord(setting: 1, ahead: 6_000_000, times: 0...10, shift: 6_000_000)]
        ),
        in: database)
    }
    let cursor = try #require(try await ledger.cursors(of: id)?.first)
    let again = try await database.changePage(
      "t", .everything, after: cursor.place, ChangePageLimit(count: 99, bytes: 9999))
    #expect(again.added.map(\.start) == [4, 5, 6] && !again.startsAnew)
    #expect(again.added.allSatisfy { $0.metadata?.values["org.hrgate.clock-ahead"] == .double(6) })
    #expect(try await database.changeCount("t", .everything, after: cursor.place) == 3)
  }

  @Test func `a cursor is written without waiting for the disk, and the next sample with it`() async throws {
    try await withTemporaryDirectory { directory in
      let database = try SampleDatabase.open(at: directory + "/s")
      let ledger = SyncLedger(database, of: nil)
      #expect(try await ledger.add(destination()))
      let id = try #require(try await ledger.destination(named: "d")).id
      @Sendable func synchronous() async throws -> Int? {
        try await database.writer.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA synchronous") }
      }
      #expect(try await ledger.save(carried(), step(nil, 5), to: id) == .saved)
      #expect(try await synchronous() == 2)
      struct Failure: Error {}
      await #expect(throws: Failure.self) { try await database.writeWithoutSync { _ in throw Failure() } }
      #expect(try await synchronous() == 2)
      // It is not ended with the task either.
      let (steps, next) = AsyncStream.makeStream(of: Void.self)
      let task = Task {
        for await _ in steps {}
        #expect(Task.isCancelled)
        return try await ledger.save(carried(), step(5, 6), to: id)
      }
      task.cancel()
      next.finish()
      #expect(try await task.value == .saved)
      #expect(try await synchronous() == 2)
    }
  }

  @Test func `one at a time has the lease of a destination`() async throws {
    try await withTemporaryDirectory { directory in
      let stores = [
        try (SampleDatabase.open(at: directory + "/s"), SampleDatabase.open(at: directory + "/s")),
        { ($0, $0.admitted(.system)) }(try SampleDatabase.inMemory()),
      ]
      for (one, other) in stores {
        let (first, second) = (SyncLedger(one, of: nil), SyncLedger(other, of: nil))
        #expect(try await first.add(destination()))
        #expect(try await first.add(destination("e")))
        let wanted = try #require(try await first.destination(named: "d"))
        let free = try #require(try await first.destination(named: "e"))
        var lease: SyncLease? = try first.lease(of: wanted)
        #expect(first.isRunning(wanted) && second.isRunning(wanted) && !second.isRunning(free))
        let taken = StorageFailure.destinationRuns(name: "d", process: getpid())
        #expect(throws: taken) { try second.lease(of: wanted) }
        #expect(throws: taken) { try first.lease(of: wanted) }
        _ = try second.lease(of: free)
        lease = nil
        #expect(lease == nil && !second.isRunning(wanted))
        _ = try second.lease(of: wanted)
        #expect(try await second.remove(named: "d"))
      }
      #expect(!FileManager.default.fileExists(atPath: directory + "/s-sync-1"))
    }
  }

  @Test func `a store of before there were destinations takes them`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/s"
      try await {
        let database = try SampleDatabase.open(at: path)
        try await database.save([record(1, at: 1)])
        try await database.writer.write {
          try $0.execute(
            sql: """
              DROP TABLE sync_refusal; DROP TABLE sync_cursor; DROP TABLE sync_destination;
              DROP TABLE sync_value; DELETE FROM grdb_migrations WHERE identifier = '9'
              """)
        }
      }()
      let database = try SampleDatabase.open(at: path)
      let ledger = SyncLedger(database, of: nil)
      #expect(try await ledger.add(destination()))
      #expect(try await ledger.storedTypes() == ["t"])
      #expect(try await database.samples(.everything, order: []).count == 1)
    }
  }
}
