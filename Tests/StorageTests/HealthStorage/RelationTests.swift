import Foundation
import GRDB
import Testing

@testable import HealthStorage

/// Tests associations of samples with containers, and their positions in the change log.
@Suite struct RelationTests {
  /// Associates samples with a workout. `bytes` is the size of the workout's archive.
  private func relate(
    _ bytes: Int, in store: SampleDatabase
  ) async throws -> (container: UUID, member: UUID) {
    let container = SampleRecord(
      uuid: UUID(), type: "w", start: 0, end: 9, provenance: provenance(), metadata: nil,
      content: .archive(Array(repeating: 0, count: bytes)))
    let member = record(1, at: 0, type: "e")
    try await store.save([container])
    try await store.save([member], relating: member.uuid, to: container.uuid, part: nil)
    return (container.uuid, member.uuid)
  }

  private func relations(
    _ containers: SampleFilter = .type("w"), after position: Int64 = 0, of mark: String? = nil,
    in store: SampleDatabase
  ) async throws -> RelationChanges {
    try await store.relations(of: containers, with: .type("e"), after: position, of: mark)
  }

  @Test func `a condition on a container's members selects among the associations`() async throws {
    let store = try SampleDatabase.inMemory()
    let (one, _) = try await relate(3, in: store)
    _ = try await relate(4, in: store)
    let condition = EncodedCondition(Data(count: 3))
    let found = try await relations(.container(types: ["w"], condition), in: store).relations
    #expect(found.map(\.container.uuid) == [one])
  }

  @Test func `everything is new after a backup was restored`() async throws {
    let store = try SampleDatabase.inMemory()
    let (one, _) = try await relate(3, in: store)
    let first = try await relations(in: store)
    #expect(try await relations(after: first.position, of: first.store, in: store).relations.isEmpty)
    // In a store with another history, this position belongs to another sample or to none.
    let mark = first.store.split(separator: ":")[0] + ":" + UUID().uuidString
    for (position, mark) in [(first.position, String(mark)), (first.position + 100, first.store)] {
      let again = try await relations(after: position, of: mark, in: store)
      #expect(again.relations.map(\.container.uuid) == [one] && again.position == first.position)
    }
  }

  @Test func `only new associations are returned, and unchanged containers are not read`() async throws {
    let store = try SampleDatabase.inMemory()
    _ = try await relate(3, in: store)
    let (two, member) = try await relate(3, in: store)
    var position = try await relations(in: store).position
    func additions() async throws -> [UUID] {
      let changes = try await relations(after: position, in: store)
      position = changes.position
      return changes.relations.map(\.container.uuid)
    }
    try await store.save([record(1, at: 5)])
    #expect(try await additions().isEmpty)
    let late = record(2, at: 0, type: "e")
    try await store.save([late], relating: late.uuid, to: two, part: nil)
    #expect(try await additions() == [two])
    // The samples existed before. Only the association is new.
    try await store.save([], relating: member, to: two, part: UUID())
    #expect(try await additions() == [two])
    #expect(try await additions().isEmpty)
    let plan = try await store.writer.read { database in
      try Row.fetchAll(
        database, sql: "EXPLAIN QUERY PLAN SELECT container FROM membership WHERE related > 3"
      ).map { $0["detail"] as String }
    }
    #expect(plan.allSatisfy { $0.contains("membership_related") }, "\(plan)")
  }
}
