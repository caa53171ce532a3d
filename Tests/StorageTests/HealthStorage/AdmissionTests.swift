import Foundation
import GRDB
import Testing

@testable import HealthStorage

/// Tests access to a database as an application, without the HealthKit module.
@Suite struct AdmissionTests {
  private let database: SampleDatabase
  private let own = "app"

  init() throws {
    database = try SampleDatabase.inMemory()
  }

  @Test func `read access does not allow saving or deleting`() async throws {
    try await database.decide(["t": Permission(share: true, read: true)], for: own, named: own, at: 0)
    let reader = database.admitted(.reading([.type("t")], by: own))
    await #expect(throws: StorageError.denied) { try await reader.save([record(1, at: 1)]) }
    await #expect(throws: StorageError.denied) { try await reader.delete(.everything, savedBy: own) }
    #expect(try await database.samples(.everything, order: []).isEmpty)
  }

  @Test func `access for saving shows only own samples`() async throws {
    _ = try await database.save([record(1, at: 1)])
    try await database.decide(["t": Permission(share: true, read: true)], for: own, named: own, at: 0)
    let writer = database.admitted(.sharing([.type("t")], by: own))
    #expect(try await writer.samples(.everything, order: []).isEmpty)
  }

  @Test func `access to one type shows nothing of another`() async throws {
    _ = try await database.save([record(1, at: 1)])
    try await database.decide(
      ["t": Permission(read: false), "u": Permission(read: true)], for: own, named: own, at: 0)
    let reader = database.admitted(.reading([.type("t"), .type("u")], by: own))
    #expect(try await reader.samples(.everything, order: []).isEmpty)
    // Samples of type `t` stay hidden even if the query does not name a type and the application may read all
    // of `u`.
    let whole = database.admitted(.reading([.type("u")], by: own))
    #expect(try await whole.samples(.everything, order: []).isEmpty)
    #expect(try await whole.samples(.any([.type("u"), .startsFrom(0)]), order: []).isEmpty)
    let nothing = database.admitted(.reading([], by: own))
    #expect(try await nothing.samples(.everything, order: []).isEmpty)
  }

  @Test func `a decision on sharing does not change reading, and the reverse`() async throws {
    try await database.decide(["t": Permission(share: true)], for: own, named: own, at: 0)
    try await database.decide(["t": Permission(read: false)], for: own, named: own, at: 0)
    #expect(try database.permission(for: "t", of: own) == Permission(share: true, read: false))
    #expect(try database.permission(for: "t", of: "other") == Permission())
  }

  @Test func `a request whose types are decided is answered immediately`() async throws {
    try await database.decide(["t": Permission(share: false)], for: own, named: own, at: 0)
    let request = PermissionRequest(
      application: ApplicationRecord(bundleIdentifier: own, name: own), shareDescription: nil,
      readDescription: nil, share: ["t"], read: [])
    let id = try await database.ask(request, at: 0)
    #expect(try await database.answer(to: id) == .decided)
    #expect(try await database.pendingRequests().isEmpty)
    try await database.withdraw(id)
    #expect(try await database.answer(to: id) == .cancelled)
  }

  @Test func `an unread answer is deleted after a day`() async throws {
    let request = PermissionRequest(
      application: ApplicationRecord(bundleIdentifier: own, name: own), shareDescription: nil,
      readDescription: nil, share: ["t"], read: [])
    let first = try await database.ask(request, at: 0)
    try await database.cancel(first, at: 5)
    let second = try await database.ask(request, at: 1)
    #expect(try await count(in: database) == 2)
    // More than a day after the first request, but not more than a day after its answer (the cancellation at
    // 5).
    _ = try await database.ask(request, at: 86_400_000_005)
    #expect(try await count(in: database) == 3)
    _ = try await database.ask(request, at: 86_400_000_006)
    #expect(try await count(in: database) == 3)
    #expect(try await database.pendingRequests().map(\.id).first == second)
  }

  @Test func `an answer is stored completely or not at all`() async throws {
    let object = record(1, at: 1)
    _ = try await database.save([object])
    let request = PermissionRequest(
      application: ApplicationRecord(bundleIdentifier: own, name: own), shareDescription: nil,
      readDescription: nil, share: ["t"], read: [], objects: [object.uuid])
    let id = try await database.ask(request, at: 0)
    try await database.writer.write {
      try $0.execute(
        sql: """
          CREATE TRIGGER refuse BEFORE INSERT ON readable_object BEGIN SELECT RAISE(ABORT, 'refused'); END
          """)
    }
    await #expect(throws: StorageError.self) {
      try await database.answer(
        request, id, ["t": Permission(share: true)], readable: [object.uuid], at: 1)
    }
    #expect(try database.permission(for: "t", of: own) == Permission())
    #expect(try await database.answer(to: id) == .pending)
    try await database.writer.write { try $0.execute(sql: "DROP TRIGGER refuse") }
    try await database.answer(request, id, ["t": Permission(share: true)], readable: [object.uuid], at: 1)
    #expect(try database.permission(for: "t", of: own) == Permission(share: true))
    #expect(try await database.answer(to: id) == .decided)
  }

  private func count(in database: SampleDatabase) async throws -> Int? {
    try await database.writer.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM permission_request") }
  }

  @Test func namesThatLookLikeSQLAreNames() async throws {
    let name = "a' OR 1=1 --"
    _ = try await database.save([record(1, at: 1)])
    let reader = database.admitted(.reading([.type(name)], by: name))
    await #expect(throws: StorageError.undecided) { try await reader.samples(.everything, order: []) }
    try await database.decide([name: Permission(read: true)], for: name, named: name, at: 0)
    #expect(try await reader.samples(.type(name), order: []).isEmpty)
    #expect(try await database.forgetDecisions(on: [name], for: name) == 1)
  }
}
