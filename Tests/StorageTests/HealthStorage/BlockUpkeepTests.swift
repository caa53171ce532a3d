import Foundation
import GRDB
import PackedSamples
import Testing

@testable import HealthStorage
@testable import TestSupport

/// Tests that damaged segments are found and named, and that recovery keeps the rest of the store.
@Suite struct BlockUpkeepTests {
  /// Makes a store with two segments of a hundred heart rates each, and a row in the first hour.
  private func withBlocks(
    _ body: (_ store: SampleDatabase, _ path: String, _ directory: String) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { directory in
      var generator = SeededGenerator(seed: 3)
      let path = directory + "/s.sqlite"
      let store = try SampleDatabase.open(at: path)
      try await store.save(secondsOfHour(100, &generator))
      try await store.save(secondsOfHour(100, from: packedHour + HourSummary.length, &generator))
      try await store.packAll()
      let start = packedHour + 1_800_000_000
      try await store.save([record(1, at: start, lasting: 5, uuid: gatewayUUID(end: start + 5, &generator))])
      try await body(store, path, directory)
    }
  }

  private static let first = "the compressed samples of t of 2023-11-14T22:00:00Z cannot be read: "

  @Test func `a store with segments is sound, and so are its summaries`() async throws {
    try await withBlocks { store, path, _ in
      let figures = HourSummary.Figures(
        count: 101, first: packedHour, last: packedHour + 1_800_000_000, least: 1, greatest: 109,
        weightedSum: 1, weight: 1, covered: 0, latest: 1, latestStart: 1, latestEnd: 1)
      let hour = HourSummary(
        start: packedHour, unit: 1, all: figures, bySource: [.init(source: 1, figures: figures)])
      try await store.keep([hour], ofType: "t", readAt: .max / 2)
      #expect(try await store.keptHours(ofType: "t") == 1)
      let (findings, size, tables) = try StoreUpkeep.check(at: path)
      #expect(findings == [] && tables == [])
      #expect(size?.samples == 201)
    }
  }

  @Test(arguments: [
    (
      "UPDATE block SET samples = x'' WHERE id = 1", StoreFinding.Kind.content,
      first + "the compressed data is truncated"
    ),
    (
      """
      UPDATE block SET samples = CAST(substr(samples, 1, 50) || x'ff' || substr(samples, 52) AS BLOB) \
      WHERE id = 1
      """,
      .content, first + "the checksum of the compressed data is wrong"
    ),
    (
      "UPDATE block SET count = 99 WHERE id = 1", .content,
      first + "its times, count or positions in the change log differ from those in its row"
    ),
    ("UPDATE block SET last_change = 7 WHERE id = 1", .content, first),
    ("UPDATE block SET end = end + 1 WHERE id = 1", .content, first),
    (
      "UPDATE block SET type = 9 WHERE id = 1", .content,
      "the compressed samples of an unknown type of 2023-11-14T22:00:00Z"
    ),
    (
      "UPDATE block SET type = 9 WHERE id = 1", .reference,
      "a row of block refers to a missing row of object_type"
    ),
    (
      "UPDATE sqlite_sequence SET seq = 150 WHERE name = 'sample'", .changeLog,
      "an entry's position is beyond"
    ),
    (
      "INSERT INTO deleted_object (id, uuid, type, source) SELECT 5, randomblob(16), 1, 1", .changeLog,
      "two entries have the same position in the change log"
    ),
    ("UPDATE sample_count SET count = 2", .summary, "the stored sample count"),
    (
      "UPDATE block SET start = -9223372036854775808, end = 9223372036854775807 WHERE id = 1", .content,
      "the compressed samples of t"
    ),
  ])
  func `damage is found`(sql: String, kind: StoreFinding.Kind, text: String) async throws {
    try await withBlocks { store, path, _ in
      try store.close()
      // Use another connection, because the store's own one enforces foreign keys.
      let damage = try DatabaseQueue(path: path, configuration: Self.careless)
      try await damage.write { try $0.execute(sql: sql) }
      try damage.close()
      let findings = try StoreUpkeep.check(at: path).findings
      let isUnknown = text.contains("unknown type")
      #expect(
        findings.contains { $0.kind == kind && $0.text.hasPrefix(text) } || isUnknown && findings.count > 0,
        "\(findings)")
    }
  }

  private static var careless: Configuration {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    return configuration
  }

  @Test func `queries of a damaged segment get an error that names it, and others succeed`() async throws {
    try await withBlocks { store, _, _ in
      try await store.writer.write {
        try $0.execute(sql: "UPDATE block SET samples = x'01' WHERE id = 1")
      }
      let whole = SampleFilter.type("t")
      let second = SampleFilter.all([whole, .startsFrom(packedHour + HourSummary.length)])
      let asks: [(String, @Sendable (SampleDatabase, SampleFilter) async throws -> Int)] = [
        ("samples", { try await $0.samples($1, order: []).count }),
        (
          "values", { try await $0.foldValues($1, type: "t", prepare: { _ in 0 }) { count, _ in count += 1 } }
        ),
        ("counts", { try await $0.counts($1)["t"] ?? 0 }),
      ]
      for (what, ask) in asks {
        let error = await #expect(throws: StorageError.self, "\(what)") { try await ask(store, whole) }
        guard case .damagedBlock(let text) = error else {
          Issue.record("\(what): \(String(describing: error))")
          continue
        }
        #expect(text.hasPrefix(Self.first), "\(what): \(text)")
        #expect(try await ask(store, second) == 100, "\(what)")
      }
      let error = await #expect(throws: StorageError.self) { try await store.delete(whole, savedBy: "s") }
      #expect("\(String(describing: error))".contains("2023-11-14T22:00:00Z"))
      #expect(try await store.inventory().map(\.count) == [201])
    }
  }

  @Test func `recovery saves the other segments, and reports the lost hour`() async throws {
    try await withBlocks { store, path, directory in
      let second = try await store.samples(.startsFrom(packedHour + HourSummary.length), order: [])
      try await store.writer.write {
        try $0.execute(sql: "UPDATE block SET samples = CAST(substr(samples, 1, 99) AS BLOB) WHERE id = 1")
      }
      try store.close()
      let recovered = try StoreUpkeep.recover(path, to: directory + "/new", .ofTests)
      #expect(recovered.lostBlocks.count == 1)
      #expect(recovered.lostBlocks.first?.hasPrefix(Self.first) == true, "\(recovered.lostBlocks)")
      #expect(recovered.kept["sample"] == 101 && recovered.dropped["block"] == 1)
      #expect(try StoreUpkeep.check(at: directory + "/new").findings == [])
      let new = try SampleDatabase.open(at: directory + "/new")
      #expect(
        try await new.samples(.startsFrom(packedHour + HourSummary.length), order: []) == second)
      #expect(try await new.inventory().map(\.count) == [101])
      #expect(try await new.lastChange() == 201)
    }
  }

  /// SQL that inserts a copy of the first segment.
  private static let copy = """
    INSERT INTO block (type, unit, provenance, metadata, start, end, first_change, last_change, count, samples)
    SELECT type, unit, provenance, metadata, start, end, first_change, last_change, count, samples FROM block
    WHERE id = 1;
    """
  /// Returns SQL that inserts a sample of the first segment as a row as well, at a position in the change
  /// log.
  private static func row(_ place: Int64) -> String {
    "INSERT INTO sample (id, uuid, type, start, provenance, value, unit) SELECT \(place), uuid, type, start, "
      + "provenance, value, unit FROM packed_sample AS sample WHERE id = 5;"
  }

  @Test(arguments: [
    (copy, "a sample is in two blocks of compressed samples", 100),
    (row(900), "a sample is stored both compressed and uncompressed", 1),
    (row(5), "a sample is stored both compressed and uncompressed", 1),
    // Give a row the position of another sample in the change log.
    (
      "UPDATE sample SET id = 7 WHERE id = 201; UPDATE sqlite_sequence SET seq = 900;",
      "two entries have the same position in the change log", 1
    ),
  ])
  func `samples that are stored twice are found, and saved once`(sql: String, text: String, count: Int)
    async throws
  {
    try await withBlocks { store, path, directory in
      let before = try await store.samples(.everything, order: [])
      try await store.writer.write { try $0.execute(sql: sql) }
      try store.close()
      let findings = try StoreUpkeep.check(at: path).findings
      #expect(findings.contains { $0.text == text && $0.count == count }, "\(findings)")
      let recovered = try StoreUpkeep.recover(path, to: directory + "/new", .ofTests)
      #expect(recovered.lostBlocks == [])
      #expect(recovered.kept["sample"] == 201, "\(recovered)")
      #expect(try StoreUpkeep.check(at: directory + "/new").findings == [])
      let new = try SampleDatabase.open(at: directory + "/new")
      let after = try await new.samples(.everything, order: [])
      #expect(Set(after.map(\.uuid)) == Set(before.map(\.uuid)) && after.count == before.count)
      #expect(try await new.inventory().map(\.count) == [201])
    }
  }

  @Test func `a type whose values are all in segments counts as one with values`() async throws {
    try await withBlocks { store, path, _ in
      try await store.writer.write { database in
        try database.execute(sql: "DELETE FROM sample WHERE id = 201")
        try database.execute(
          sql: """
            INSERT INTO sample (uuid, type, start, provenance) VALUES (randomblob(16), 1, 5, 1);
            UPDATE sample_count SET count = 1;
            """)
      }
      try store.close()
      let findings = try StoreUpkeep.check(at: path).findings
      #expect(findings.map(\.text) == ["a sample has no value, although others of its type have one"])
    }
  }
}
