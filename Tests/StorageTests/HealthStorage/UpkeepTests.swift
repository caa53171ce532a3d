import Foundation
import GRDB
import Synchronization
import Testing

@testable import HealthStorage

/// Tests the cost of changes, and the migration of older stores.
@Suite struct UpkeepTests {
  /// Returns the number of statements that delete summaries while `body` runs.
  private func removals(
    in store: SampleDatabase, _ body: () async throws -> Void
  ) async throws -> Int {
    let count = Counter()
    try await store.writer.write { database in
      database.trace { event in
        if "\(event)".hasPrefix("DELETE FROM hour_summary") { count.value.withLock { $0 += 1 } }
      }
    }
    try await body()
    return count.value.withLock { $0 }
  }

  private final class Counter: Sendable {
    let value = Mutex(0)
  }

  @Test func `a batch of several types, and its deletion, deletes summaries once per type`() async throws {
    let store = try SampleDatabase.inMemory()
    let records = (0..<300).map { record(1, at: Int64($0) * 1_000_000, type: ["a", "b", "c"][$0 % 3]) }
    #expect(try await removals(in: store) { try await store.save(records) } == 3)
    #expect(
      try await removals(in: store) { try await store.delete(records.map(\.uuid), savedBy: "s") } == 3)
  }

  @Test func `a deletion searches once, and deletes what matched at its start`() async throws {
    let store = try SampleDatabase.inMemory()
    try await store.save((0..<95).map { record(1, at: Int64($0), type: $0 < 90 ? "t" : "other") })
    let searches = Counter()
    try await store.writer.write { database in
      database.trace { event in
        if "\(event)".contains("FROM sample WHERE") { searches.value.withLock { $0 += 1 } }
      }
    }
    var reported: [Int] = []
    let deleted = try await store.deleteMatching(.type("t"), inTransactionsOf: 20) { count in
      reported.append(count)
      return true
    }
    #expect(deleted == 90 && reported == [20, 40, 60, 80, 90])
    // Besides the search itself, the statements are lookups by ID. Their number is the same for each deleted
    // sample.
    let byID = searches.value.withLock { $0 } - 1
    #expect(byID.isMultiple(of: 90))
    #expect(try await store.counts(.everything) == ["other": 5])
    try await store.save((0..<50).map { record(1, at: Int64($0)) })
    #expect(try await store.deleteMatching(.type("t"), inTransactionsOf: 20) { _ in false } == 20)
    #expect(try await store.counts(.everything) == ["other": 5, "t": 30])
    let left = try await store.writer.read {
      try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_temp_schema")
    }
    #expect(left == 0)
  }

  @Test func `an older store finds its quantity series, and series that are saved later`() async throws {
    func series(at start: Int64) -> SampleRecord {
      let quantity = SeriesQuantity(start: start, end: start, value: 1)
      return SampleRecord(
        uuid: UUID(), type: "t", start: start, end: start, provenance: provenance(), metadata: nil,
        content: .quantitySeries(
          QuantitySeries(
            unit: "u", value: 0, count: 1, minimum: 1, maximum: 1, latest: quantity,
            quantities: QuantitySeriesCodec.encode([quantity], from: start))))
    }
    try await withTemporaryDirectory { directory in
      let old = try SampleDatabase.open(at: directory + "/s")
      try await old.save([series(at: 1), series(at: 5)])
      try await old.writer.write { database in
        try database.execute(
          sql: """
            DROP TABLE series_place; DROP INDEX membership_related;
            DELETE FROM grdb_migrations WHERE identifier = '5'
            """)
      }
      let store = try SampleDatabase.open(at: directory + "/s")
      let last = series(at: 9)
      try await store.save([last])
      func starts(_ filter: SampleFilter) async throws -> [Int64] {
        try await store.foldValues(filter, type: "t", prepare: { _ in [Int64]() }) { $0.append($1.start) }
      }
      #expect(try await starts(.type("t")) == [1, 5, 9])
      #expect(try await starts(.all([.type("t"), .startsFrom(2), .startsBefore(9)])) == [5])
      #expect(try await starts(.type("other")) == [])
      try await store.delete([last.uuid], savedBy: "s")
      #expect(try await starts(.type("t")) == [1, 5])
      let places = try await store.writer.read {
        try Int.fetchOne($0, sql: "SELECT count(*) FROM series_place")
      }
      #expect(places == 2)
    }
  }
}
