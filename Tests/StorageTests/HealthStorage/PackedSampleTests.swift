import Foundation
import GRDB
import Testing

@testable import HealthStorage
@testable import PackedSamples
@testable import TestSupport

/// Compares the virtual table `packed_sample` with the rows from which its segments were made.
@Suite struct PackedSampleTests {
  private static let hour = HourSummary.length
  private static let origin: Int64 = 472_222 * HourSummary.length

  private static func records(_ generator: inout SeededGenerator) -> [SampleRecord] {
    (0..<Int.random(in: 50...250, using: &generator)).map { _ in
      let source = ["a", "b"].randomElement(using: &generator) ?? "a"
      // Use few different times, so that many are equal, and so that each source has samples in each hour.
      let slot = Int64.random(in: source == "a" ? 0..<12 : 8..<20, using: &generator)
      let start = origin + Int64.random(in: 0..<3, using: &generator) * hour + slot * 170_000_000
      let duration =
        Bool.random(using: &generator)
        ? 0
        : Int64.random(in: 0...900_000_000, using: &generator)
          % (hour - slot * 170_000_000)
      return record(
        Double(Int.random(in: 40...200, using: &generator)), at: start, lasting: duration,
        type: ["t", "u"].randomElement(using: &generator) ?? "t",
        uuid: gatewayUUID(end: start + duration, &generator),
        from: provenance(source: source))
    }
  }

  /// Replaces the rows of some hours and types with segments.
  private static func condense(_ database: Database, _ generator: inout SeededGenerator) throws {
    let kinds = try Row.fetchAll(
      database,
      sql: """
        SELECT type, unit, provenance, metadata, start / \(hour) AS hour FROM sample
        GROUP BY 1, 2, 3, 4, 5
        """)
    for kind in kinds where Int.random(in: 0..<3, using: &generator) > 0 {
      let rows = try Row.fetchAll(
        database,
        sql: """
          SELECT id, uuid, start, ifnull(end, start) AS end, value FROM sample
          WHERE type = ? AND unit = ? AND provenance = ? AND metadata IS ? AND start / \(hour) = ?
          ORDER BY start, id
          """, arguments: StatementArguments(kind.databaseValues))
      var block = SampleBlock()
      for row in rows {
        let uuid: UUID = row["uuid"]
        let (start, end): (Int64, Int64) = (row["start"], row["end"])
        let identity = PackedIdentity(high: uuid.words.high, low: uuid.words.low, end: end)
        block.append(
          start: start, duration: end - start, value: row["value"], change: row["id"], identity: identity)
      }
      let ends = rows.map { $0["end"] as Int64 }
      try database.execute(
        sql: """
          INSERT INTO block (type, unit, provenance, metadata, start, end, first_change, last_change, count,
            samples)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
          """,
        arguments: [
          kind[0] as Int64, kind[1] as Int64, kind[2] as Int64, kind[3] as Int64?, block.starts[0],
          ends.max(),
          block.changes.min(), block.changes.max(), block.count, Data(try block.encoded()),
        ])
      for row in rows {
        try database.execute(sql: "DELETE FROM sample WHERE id = ?", arguments: [row["id"] as Int64])
      }
    }
  }

  private static let columns = "id, uuid, type, start, end, provenance, metadata, value, unit"
  private static let every = """
    (SELECT \(columns) FROM sample UNION ALL SELECT \(columns) FROM packed_sample)
    """

  private static func questions(_ uuids: [UUID], _ generator: inout SeededGenerator) -> [(
    String, StatementArguments
  )] {
    let times = (0..<2).map { _ in origin + Int64.random(in: -10...3 * hour, using: &generator) }.sorted()
    let change = Int64.random(in: 0...260, using: &generator)
    let some = (0..<3).compactMap { _ in uuids.randomElement(using: &generator) } + [UUID()]
    return [
      ("ORDER BY start, id", []),
      ("WHERE type = 1 AND start >= ? AND start < ? ORDER BY start, id", [times[0], times[1]]),
      ("WHERE type = 2 AND start > ? ORDER BY start DESC, id DESC LIMIT 7", [times[0]]),
      ("WHERE type = 1 AND start <= ? ORDER BY start, id LIMIT 5", [times[1]]),
      ("WHERE id > ? ORDER BY id LIMIT 20", [change]),
      ("WHERE id > ? AND id <= ? AND type = 2 ORDER BY id DESC", [change, change + 30]),
      ("WHERE id = ?", [change]),
      ("WHERE uuid = ? ORDER BY id", [some[0]]),
      ("WHERE uuid IN (?, ?, ?, ?) ORDER BY id", StatementArguments(some)),
      ("WHERE value > 120 AND provenance = 1 ORDER BY ifnull(end, start) DESC, id", []),
      ("WHERE ifnull(end, start) >= ? AND start < ? AND unit = 1 ORDER BY start, id", [times[0], times[1]]),
      ("WHERE type = 1.5 OR start = 'x' ORDER BY id", []),
      ("WHERE start >= NULL ORDER BY id", []),
    ]
  }

  @Test func `rows and segments have the same results as rows`() async throws {
    for seed in 0..<UInt64(isLongRun ? 2000 : 6) {
      var generator = SeededGenerator(seed: seed)
      let records = Self.records(&generator)
      let (rows, both) = (try SampleDatabase.inMemory(), try SampleDatabase.inMemory())
      try await rows.save(records)
      try await both.save(records)
      let choice = generator.next()
      try await both.writer.write { database in
        var choices = SeededGenerator(seed: choice)
        try Self.condense(database, &choices)
      }
      for (request, arguments) in Self.questions(records.map(\.uuid), &generator) {
        let expected = try rows.writer.read {
          try Row.fetchAll($0, sql: "SELECT \(Self.columns) FROM sample \(request)", arguments: arguments)
        }
        let found = try both.writer.read {
          try Row.fetchAll(
            $0, sql: "SELECT \(Self.columns) FROM \(Self.every) \(request)", arguments: arguments)
        }
        #expect(found == expected, "seed \(seed): \(request)")
      }
    }
  }

  @Test func `pages of both tables are merged without sorting`() async throws {
    var generator = SeededGenerator(seed: 5)
    let store = try SampleDatabase.inMemory()
    try await store.save(secondsOfHour(64, &generator))
    try await store.packAll()
    for order in ["start, id", "start DESC, id DESC", "id", "id DESC"] {
      let plan = try await store.writer.read { database in
        let condition = SampleFilter.all([.type("t"), .startsFrom(7)]).conditionRegardlessOfPermission
        let both = try SampleTables(in: database).union(condition.arguments) {
          """
          \(SampleDatabase.columns(.count, of: $0)), ifnull(end, start) AS last_moment FROM \($0.byChange)
          WHERE \(condition.sql)
          """
        }
        // Queries for samples are allowed to use the index of types if it gives the requested order. So this
        // query is allowed to, too.
        let sql = order.hasPrefix("start") ? both.sql.replacing(" NOT INDEXED", with: "") : both.sql
        return try Row.fetchAll(
          database, sql: "EXPLAIN QUERY PLAN \(sql) ORDER BY \(order) LIMIT 5", arguments: both.arguments
        ).map { $0["detail"] as String }
      }
      #expect(plan.contains { $0.contains("MERGE (UNION ALL)") }, "\(order): \(plan)")
      #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(order): \(plan)")
    }
  }

  @Test func `queries of a store without segments read rows only`() async throws {
    var generator = SeededGenerator(seed: 5)
    let store = try SampleDatabase.inMemory()
    func tables() async throws -> [SampleTables.Table] {
      try await store.writer.read { try SampleTables(in: $0).all }
    }
    try await store.save(secondsOfHour(64, &generator))
    #expect(try await tables() == [.rows])
    try await store.packAll()
    #expect(try await tables() == [.rows, .blocks])
    try await store.unpackAll()
    #expect(try await tables() == [.rows])
  }

  @Test func `a query fails at a segment that does not decode, with an error that names it`() async throws {
    var generator = SeededGenerator(seed: 5)
    let database = try SampleDatabase.inMemory()
    try await database.save(Self.records(&generator))
    try await database.writer.write { database in
      var choices = SeededGenerator(seed: 5)
      try Self.condense(database, &choices)
      try database.execute(
        sql: "UPDATE block SET samples = CAST(substr(samples, 1, 30) AS BLOB) WHERE id = 1")
    }
    let error = try await database.writer.read { database in
      #expect(throws: DatabaseError.self) { try Row.fetchAll(database, sql: "SELECT id FROM packed_sample") }
    }
    let text = try #require(error?.message)
    #expect(text.hasPrefix("the compressed samples of ") && text.contains(" of 2023-11-14T"), "\(text)")
  }
}
