import Foundation
import GRDB
import Testing

@testable import HealthStorage
@testable import TestSupport

/// Tests that compacting a store of an earlier version does not change its query results.
@Suite struct EarlierStorePackingTests {
  private static let script = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../CommandTests/Stores/schema-11.sql")
  private static let heartRate = "HKQuantityTypeIdentifierHeartRate"

  /// Selects every sample in the form of the earlier version's table.
  private static let asStored = "SELECT uuid, start, ifnull(end, start) AS end, value, metadata FROM sample"

  private func contents(_ store: SampleDatabase) async throws -> [String] {
    var contents: [String] = []
    for order in [SampleOrder.start(ascending: true), .end(ascending: false), .insertion(ascending: true)] {
      let samples = try await store.samples(.everything, order: [order])
      contents.append("\(samples.map { "\($0.uuid) \($0.start) \($0.end) \($0.value ?? 0)" })")
    }
    contents.append("\(try await store.inventory().map { "\($0.type) \($0.source) \($0.count)" })")
    contents.append("\(try await store.counts(.type(Self.heartRate)))")
    for filter in [SampleFilter.type(Self.heartRate), .quantity(.greater, value: 100, unit: "count/min")] {
      let values = try await store.foldValues(
        filter, type: Self.heartRate, prepare: { _ in [SampledValue]() }
      ) { $0.append($1) }
      contents.append("\(values)")
    }
    let page = try await store.changePage(
      Self.heartRate, .everything, after: nil, ChangePageLimit(count: 500, bytes: 1 << 20))
    contents.append("\(page.added.map(\.uuid)) \(page.end) \(page.isLast)")
    let changes = try await store.changes(
      [(Self.heartRate, .everything)], after: 100, of: nil, limit: nil)
    contents.append("\(changes.added.map(\.uuid)) \(changes.position) \(changes.store)")
    return contents
  }

  @Test func `an earlier store gives the same results before and after compaction`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/s.sqlite"
      let earlier = try DatabaseQueue(path: path)
      let script = try String(contentsOf: Self.script, encoding: .utf8)
      try await earlier.writeWithoutTransaction { try $0.execute(sql: script) }
      let rows = try earlier.read { try Row.fetchAll($0, sql: "\(Self.asStored) ORDER BY id") }
      try earlier.close()

      let store = try SampleDatabase.open(at: path)
      let before = try await contents(store)
      #expect(before.allSatisfy { $0.count > 20 })
      let outcomes = try await store.packAll()
      let packed = outcomes.map { if case .packed(let rows, 1, _, _) = $0 { rows } else { 0 } }
      #expect(packed.sorted() == [107, 563])
      #expect(try await store.rows().count == rows.count - 670)
      #expect(try await contents(store) == before)
      #expect(try StoreUpkeep.check(at: path).findings == [])
      #expect(try StoreUpkeep.check(at: path).size?.samples == rows.count)
      try await store.unpackAll()
      let after = try store.writer.read { try Row.fetchAll($0, sql: "\(Self.asStored) ORDER BY id") }
      #expect(after == rows)
    }
  }
}
