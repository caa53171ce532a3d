import Foundation
import GRDB
import Testing

@testable import HealthStorage

/// Tests the stored state of sync destinations.
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
  ) -> SentRecords {
    SentRecords(
      type: "t", sent: sent, deleted: deleted, settled: settled, refused: refused.map { ($0, "no") }, time: 9)
  }

  private func cursor(_ position: Int64) -> ChangeLogCursor { ChangeLogCursor(position: position, mark: "m") }

  private func step(_ from: Int64?, _ to: Int64, restarts: Bool = false) -> CursorStep {
    CursorStep(from: from.map(cursor), to: cursor(to), restarts: restarts, revision: 0)
  }

  @Test func `a destination is stored with all its fields`() async throws {
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
    record.storeIdentity = kept[1].storeIdentity
    #expect(kept[1] == record && record.storeIdentity?.count == 32)
    #expect(kept[0].types == nil && kept[0].sources == nil && kept[0].secretFile == nil)
  }

  @Test func `names are separate per owner, and each owner sees only its own destinations`() async throws {
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

  @Test func `a cursor moves only from its expected position`() async throws {
    let (ledger, id) = try await ledger()
    #expect(try await ledger.save(carried(2, deleted: 1), step(nil, 5), to: id, resets: 0) == .saved)
    #expect(try await ledger.save(carried(), step(nil, 6), to: id, resets: 0) == .superseded)
    #expect(try await ledger.save(carried(), step(4, 6), to: id, resets: 0) == .superseded)
    #expect(try await ledger.save(carried(3), step(5, 6), to: id, resets: 0) == .saved)
    let cursors = try #require(try await ledger.state(of: id)?.cursors)
    #expect(cursors == [SyncCursorRecord(type: "t", cursor: cursor(6), sent: 5, deleted: 1)])
    #expect(try await ledger.destination(named: "d")?.lastSuccess == 9)
    // Types without changes get new cursors too, except those whose cursor has changed in the meantime.
    try await ledger.advance([("t", step(5, 7)), ("u", step(nil, 7))], of: id)
    #expect(try await ledger.state(of: id)?.cursors.map(\.cursor) == [cursor(6), cursor(7)])
    #expect(try await ledger.reset(named: "d"))
    #expect(try await ledger.state(of: id)?.cursors.isEmpty == true)
    // After a reset, results of records that were sent before it are ignored, even without a cursor.
    #expect(try await ledger.save(carried(), step(6, 7), to: id, resets: 0) == .superseded)
    #expect(try await ledger.save(carried(), step(nil, 7), to: id, resets: 0) == .superseded)
    let state = try #require(try await ledger.state(of: id))
    #expect(state.resets == 1 && state.reportedResets == 0)
    try await ledger.recordReported(resets: 1, of: id)
    #expect(try await ledger.state(of: id)?.reportedResets == 1)
    #expect(try await ledger.save(carried(), step(nil, 7), to: id, resets: 1) == .saved)
    #expect(try await ledger.remove(named: "d"))
    #expect(try await ledger.save(carried(), step(7, 8), to: id, resets: 1) == .gone)
    #expect(try await ledger.state(of: id) == nil)
  }

  @Test func `rejected records are stored and counted until they are accepted`() async throws {
    let (ledger, id) = try await ledger()
    let uuids = [UUID(), UUID(), UUID()]
    #expect(try await ledger.save(carried(refused: uuids), step(nil, 5), to: id, resets: 0) == .saved)
    #expect(try await ledger.save(carried(refused: [uuids[0]]), nil, to: id, resets: 0) == .saved)
    let deadLetters = try await ledger.deadLetters(of: id, limit: 9)
    #expect(Set(deadLetters.map(\.uuid)) == Set(uuids) && deadLetters.map(\.since) == [9, 9, 9])
    #expect(deadLetters.map { $0.attempts } == deadLetters.map { $0.uuid == uuids[0] ? 2 : 1 })
    // Request a subset of the rejected records.
    let some = [deadLetters[2], deadLetters[0]]
    #expect(try await ledger.deadLetters(of: id, among: [some[0].uuid, UUID(), some[1].uuid]) == some)
    #expect(try await ledger.save(carried(settled: [uuids[1]]), nil, to: id, resets: 0) == .saved)
    #expect(try await ledger.refusalCount(of: id) == 2)
    #expect(try await ledger.state(of: id)?.cursors.first?.sent == 3)
    // The user requests a retry of rejected records.
    let now = RetryTimes(now: 9, first: 100, longest: 1000)
    #expect(try await ledger.dueDeadLetters(of: id, now, limit: 9).isEmpty)
    #expect(try await ledger.urgedRefusalCount(of: id) == 0)
    #expect(try await ledger.resetDeadLetters(named: "d"))
    #expect(try await ledger.dueDeadLetters(of: id, now, limit: 9).count == 2)
    #expect(try await ledger.urgedRefusalCount(of: id) == 2)
    // One of the records was retried, but has no result yet.
    try await ledger.recordAttempt(of: [uuids[0]], of: id, at: 9)
    #expect(try await ledger.dueDeadLetters(of: id, now, limit: 9).map(\.uuid) == [uuids[2]])
    #expect(try await ledger.urgedRefusalCount(of: id) == 1)
    #expect(try await ledger.deadLetters(of: id, limit: 9).map(\.attempts) == [0, 0])
    #expect(try await ledger.nextDeadLetterDue(of: id, RetryTimes(now: 500, first: 100, longest: 200)) == 0)
    try await ledger.recordAttempt(of: [uuids[2]], of: id, at: 9)
    #expect(
      try await ledger.nextDeadLetterDue(of: id, RetryTimes(now: 50, first: 100, longest: 200)) == 109)
    // If sending restarts in another change log, the rejections are deleted.
    #expect(try await ledger.save(carried(7), step(5, 1, restarts: true), to: id, resets: 0) == .saved)
    #expect(try await ledger.refusalCount(of: id) == 0)
    #expect(try await ledger.state(of: id)?.cursors.first?.sent == 7)
  }

  @Test func `the marker is saved with each page, and a reset replaces it`() async throws {
    let (ledger, id) = try await ledger()
    var marker = try #require(try await ledger.state(of: id)?.marker)
    #expect(marker.sequence == nil)
    marker.sequence = 0
    try await ledger.saveMarker(marker, of: id)
    marker.sequence = 1
    #expect(try await ledger.save(carried(), step(nil, 5), marker: marker, to: id, resets: 0) == .saved)
    #expect(try await ledger.state(of: id)?.marker == marker)
    // If the cursor is not saved, the stored marker of the destination is not changed either.
    let next = SyncMarkerRecord(id: marker.id, sequence: 2)
    #expect(try await ledger.save(carried(), step(nil, 6), marker: next, to: id, resets: 0) == .superseded)
    #expect(try await ledger.state(of: id)?.marker == marker)
    #expect(try await ledger.reset(named: "d"))
    let other = try #require(try await ledger.state(of: id)?.marker)
    #expect(other.id != marker.id && other.sequence == nil)
    try await ledger.saveMarker(next, of: id)
    #expect(try await ledger.state(of: id)?.marker == other)
  }

  @Test func `excluded or rejected types do not keep in-place changes forever`() async throws {
    let database = try SampleDatabase.inMemory()
    try await database.write { database in
      try database.execute(sql: "INSERT INTO object_type (identifier) VALUES ('t'), ('u'), ('v')")
    }
    let ledger = SyncLedger(database, of: nil)
    var record = destination()
    record.excludedTypes = ["u"]
    #expect(try await ledger.add(record))
    let id = try #require(try await ledger.destination(named: "d")).id
    #expect(try await ledger.destination(named: "d")?.excludedTypes == ["u"])
    try await ledger.setRejectedTypes(["v": "no"], of: id)
    try await database.write { database in
      try database.execute(sql: "INSERT INTO changed_in_place (first, last) VALUES (1, 2)")
      let token = try SyncLedger.storeIdentity(database)
      try database.execute(
        sql: """
          INSERT INTO sync_cursor (destination, type, position, mark, sent, deleted) VALUES (?, 't', 9, ?, 1, 0)
          """, arguments: [id, token])
      try ChangesInPlace(in: database).note(20...21)
    }
    let left = try await database.read { try Int64.fetchAll($0, sql: "SELECT first FROM changed_in_place") }
    #expect(left == [20])
  }

  @Test func `each failed retry of a rejected record delays the next one longer, up to a limit`() async throws
  {
    let (ledger, id) = try await ledger()
    let uuid = UUID()
    func due(at now: Int64) async throws -> Int64? {
      try await ledger.nextDeadLetterDue(of: id, RetryTimes(now: now, first: 100, longest: 350))
    }
    func isDue(at now: Int64) async throws -> Bool {
      let times = RetryTimes(now: now, first: 100, longest: 350)
      return try await !ledger.dueDeadLetters(of: id, times, limit: 9).isEmpty
    }
    #expect(try await due(at: 9) == nil)
    #expect(try await ledger.save(carried(refused: [uuid]), step(nil, 5), to: id, resets: 0) == .saved)
    for (attempts, pause) in [(1, 100), (2, 200), (3, 350), (4, 350)] as [(Int, Int64)] {
      let tried = Int64(attempts) * 10_000
      if attempts > 1 { try await ledger.postpone(uuid, reason: "away", of: id, at: tried) }
      let since = attempts > 1 ? tried : 9
      #expect(try await due(at: since) == since + pause)
      #expect(try await !isDue(at: since + pause - 1))
      #expect(try await isDue(at: since + pause))
      // After the clock was set back, records count as due at once.
      #expect(try await isDue(at: since - 1))
      #expect(try await due(at: since - 1) == 0)
    }
    let deadLetter = try #require(try await ledger.deadLetters(of: id, limit: 9).first)
    #expect(deadLetter.attempts == 4 && deadLetter.reason == "away" && deadLetter.since == 9)
    #expect(try await ledger.resetDeadLetters(named: "d"))
    #expect(try await due(at: 50_000) == 0)
  }

  @Test func `the rejected record whose last attempt is longest ago is retried first`() async throws {
    let (ledger, id) = try await ledger()
    let uuids = (0..<5).map { _ in UUID() }
    #expect(try await ledger.save(carried(refused: uuids), step(nil, 5), to: id, resets: 0) == .saved)
    for (time, uuid) in zip([50, 20, 30, 40, 20] as [Int64], uuids) {
      try await ledger.postpone(uuid, reason: "away", of: id, at: time)
    }
    let ties = [uuids[1], uuids[4]].sorted { $0.uuidString < $1.uuidString }
    let order = ties + [uuids[2], uuids[3], uuids[0]]
    let all = RetryTimes(now: 50, first: 0, longest: 0)
    #expect(try await ledger.refusedUUIDs(of: id, at: 50) == order)
    #expect(try await ledger.dueDeadLetters(of: id, all, limit: 3).map(\.uuid) == Array(order.prefix(3)))
    // The clock was set back to 35. The attempts at 40 and 50 are in the future, so they were made before
    // that.
    let late = RetryTimes(now: 35, first: 0, longest: 0)
    let turned = [uuids[3], uuids[0]] + ties + [uuids[2]]
    #expect(try await ledger.refusedUUIDs(of: id, at: 35) == turned)
    #expect(try await ledger.dueDeadLetters(of: id, late, limit: 9).map(\.uuid) == turned)
    #expect(
      try await ledger.deadLetters(of: id, limit: 9).map(\.uuid)
        == uuids.sorted { $0.uuidString < $1.uuidString })
  }

  @Test func `a failure is stored from its first occurrence until the next success`() async throws {
    let (ledger, id) = try await ledger()
    try await ledger.recordFailure("away", lasts: false, of: id, at: 3)
    try await ledger.recordFailure("no right", lasts: true, of: id, at: 5)
    let failure = SyncDestinationRecord.Failure(text: "no right", since: 3, lasts: true)
    #expect(try await ledger.destination(named: "d")?.failure == failure)
    #expect(try await ledger.save(carried(), step(nil, 5), to: id, resets: 0) == .saved)
    #expect(try await ledger.destination(named: "d")?.failure == nil)
    try await ledger.recordFailure("away", lasts: false, of: id, at: 8)
    try await ledger.recordSuccess(of: id, at: 11)
    #expect(try await ledger.destination(named: "d")?.failure == nil)
    #expect(try await ledger.destination(named: "d")?.lastSuccess == 11)
  }

  /// Returns a store with four samples, and three that were stored after the clock was corrected.
  private func wrongClock() async throws -> (SampleDatabase, SyncLedger, id: Int64) {
    let database = try SampleDatabase.inMemory()
    let ledger = SyncLedger(database, of: nil)
    #expect(try await ledger.add(destination()))
    let monitor = provenance(source: "org.hrgate.monitor.1")
    try await database.save((0..<4).map { record(1, at: Int64($0), from: monitor) })
    try await database.writer.write { [database] connection in
      try database.save(
        ClockChangesRecord(settings: [ClockSettingRecord(id: 1, boot: "b", origin: 0, start: 0)]),
        in: connection)
    }
    try await database.save((4..<7).map { record(1, at: Int64($0), from: monitor) })
    return (database, ledger, try #require(try await ledger.destination(named: "d")).id)
  }

  /// Records that the clock was ahead, which marks the samples of that time as modified.
  private func correct(_ database: SampleDatabase) async throws {
    try await database.writer.write { [database] connection in
      try database.save(
        ClockChangesRecord(
          corrections: [ClockCorrectionRecord(setting: 1, ahead: 6_000_000, times: 0...10, shift: 6_000_000)]
        ),
        in: connection)
    }
  }

  @Test func `a sample modified in place is sent again`() async throws {
    let (database, ledger, id) = try await wrongClock()
    let all = try await database.changePage(
      "t", .everything, after: nil, ChangePageLimit(count: 99, bytes: 9999))
    #expect(all.added.count == 7 && all.isLast && all.changed.isEmpty)
    let step = CursorStep(from: nil, to: all.end, restarts: false, revision: all.revision)
    #expect(try await ledger.save(carried(7), step, to: id, resets: 0) == .saved)
    try await correct(database)
    let record = try #require(try await ledger.state(of: id)?.cursors.first)
    let again = try await database.changePage(
      "t", .everything, after: record.cursor, ChangePageLimit(count: 99, bytes: 9999))
    #expect(again.added.map(\.start) == [4, 5, 6] && !again.restarts)
    #expect(again.added.allSatisfy { $0.metadata?.values["org.hrgate.clock-ahead"] == .double(6) })
    #expect(again.changed == Set(again.added.map(\.uuid)))
    #expect(try await database.changeCount("t", .everything, after: record.cursor) == 3)
  }

  @Test(arguments: [0, 2, 4]) func `a sample modified while it is being sent is sent again`(
    saved: Int
  ) async throws {
    let (database, ledger, id) = try await wrongClock()
    var from: ChangeLogCursor?
    if saved > 0 {
      from = try await database.changePage(
        "t", .everything, after: nil, ChangePageLimit(count: saved, bytes: 9999)
      ).end
      let step = CursorStep(from: nil, to: try #require(from), restarts: false, revision: 0)
      #expect(try await ledger.save(carried(saved), step, to: id, resets: 0) == .saved)
    }
    let limit = ChangePageLimit(count: 99, bytes: 9999)
    let page = try await database.changePage("t", .everything, after: from, limit)
    try await correct(database)
    // No cursor had passed the modified samples, so the cursor is unchanged.
    #expect(try await ledger.state(of: id)?.cursors.first?.cursor == from)
    let step = CursorStep(from: from, to: page.end, restarts: false, revision: page.revision)
    #expect(try await ledger.save(carried(), step, to: id, resets: 0) == .superseded)
    let again = try await database.changePage("t", .everything, after: from, limit)
    #expect(again.added.count == 7 - saved && again.changed == Set(again.added.suffix(3).map(\.uuid)))
    let next = CursorStep(from: from, to: again.end, restarts: false, revision: again.revision)
    #expect(try await ledger.save(carried(), next, to: id, resets: 0) == .saved)
  }

  @Test func `an in-place change is stored until every destination has received it`() async throws {
    let (database, ledger, id) = try await wrongClock()
    #expect(try await ledger.add(destination("e")))
    let other = try #require(try await ledger.destination(named: "e")).id
    func note(_ samples: ClosedRange<Int64>) async throws -> [ClosedRange<Int64>] {
      try await database.writer.write { database in
        try ChangesInPlace(in: database).note(samples)
        return try ChangesInPlace(in: database).ranges()
      }
    }
    func carryAll(to id: Int64) async throws {
      let from = try await ledger.state(of: id)?.cursors.first?.cursor
      let page = try await database.changePage(
        "t", .everything, after: from, ChangePageLimit(count: 99, bytes: 9999))
      let step = CursorStep(from: from, to: page.end, restarts: false, revision: page.revision)
      #expect(try await ledger.save(carried(), step, to: id, resets: 0) == .saved)
    }
    #expect(try await note(1...2) == [1...2])
    #expect(try await note(4...4) == [1...2, 4...4])
    try await carryAll(to: id)
    // The second destination has not received any of these changes yet, so they are all still stored.
    #expect(try await note(6...6) == [1...2, 4...4, 6...6])
    try await carryAll(to: other)
    // The first destination has not received the change of sample 6 yet, so it is still stored.
    #expect(try await note(7...7) == [6...6, 7...7])
    try await carryAll(to: id)
    try await carryAll(to: other)
    #expect(try await note(3...3) == [3...3])
    for name in ["d", "e"] { #expect(try await ledger.remove(named: name)) }
    #expect(try await note(5...5) == [5...5])
  }

  @Test func `a cursor is written without waiting for the disk, and the next sample syncs it`() async throws {
    try await withTemporaryDirectory { directory in
      let database = try SampleDatabase.open(at: directory + "/s")
      let ledger = SyncLedger(database, of: nil)
      #expect(try await ledger.add(destination()))
      let id = try #require(try await ledger.destination(named: "d")).id
      @Sendable func synchronous() async throws -> Int? {
        try await database.writer.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA synchronous") }
      }
      #expect(try await ledger.save(carried(), step(nil, 5), to: id, resets: 0) == .saved)
      #expect(try await synchronous() == 2)
      struct TestError: Error {}
      await #expect(throws: TestError.self) { try await database.writeWithoutSync { _ in throw TestError() } }
      #expect(try await synchronous() == 2)
      // Canceling the task does not cancel a write that has started.
      let (steps, next) = AsyncStream.makeStream(of: Void.self)
      let task = Task {
        for await _ in steps {}
        #expect(Task.isCancelled)
        return try await ledger.save(carried(), step(5, 6), to: id, resets: 0)
      }
      task.cancel()
      next.finish()
      #expect(try await task.value == .saved)
      #expect(try await synchronous() == 2)
    }
  }

  @Test func `only one program at a time has the lease of a destination`() async throws {
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
        let taken = StorageError.destinationRuns(name: "d", process: getpid())
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

  @Test func `a store from a version without destinations accepts them`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/s"
      try await {
        let database = try SampleDatabase.open(at: path)
        try await database.save([record(1, at: 1)])
        try await database.writer.write {
          try $0.execute(
            sql: """
              DROP TABLE sync_rejection; DROP TABLE sync_refusal; DROP TABLE sync_cursor; DROP TABLE sync_destination;
              DROP TABLE sync_value; DROP TABLE changed_in_place;
              ALTER TABLE deleted_object DROP COLUMN start;
              DELETE FROM grdb_migrations WHERE identifier IN ('9', '10', '16')
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
