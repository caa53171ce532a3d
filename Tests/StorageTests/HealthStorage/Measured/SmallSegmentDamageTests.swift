import Foundation
import GRDB
import Testing

@testable import HealthStorage
@testable import TestSupport

/// Tests that damaged small segments are reported, and that nothing else is affected.
@Suite struct SmallSegmentDamageTests {
  /// The time from which the hour of the tests is compacted.
  private static let late = packedHour + HourSummary.length + Compactor.lateness

  private static let damage = "the compressed samples of t of 2023-11-14T22:00:00Z cannot be read: "

  @Test func `a segment that cannot be read is reported to readers that need it`() async throws {
    let store = try SampleDatabase.inMemory()
    let minutes = MeasuredMinutes()
    try await store.saveMeasured(1..<41, of: minutes)
    // Damage the segment of the first monitor's first second.
    try await store.damageBlocks("id = 1")
    let error = await #expect(throws: StorageError.self) { try await store.everySample() }
    guard case .damagedBlock(let text) = error else {
      return #expect(Bool(false), "\(String(describing: error))")
    }
    #expect(text.hasPrefix(Self.damage), "\(text)")
    #expect(try await store.samples(.startsFrom(packedHour + 3_000_000), order: []).count == 38 * 32 + 37)
    // New measurements are stored. A replayed recording stores those of the damaged segment again.
    try await store.saveMeasured(60..<61, of: minutes)
    let again = try await store.save([], measured: minutes.second(1), as: .segments).measured
    #expect(again.map(\.stored).reduce(0, +) == 4)
    #expect(store.damagedBlocks.known.count == 1)
    // All readable segments of the hour are merged.
    var compactor = Compactor(store)
    let tally = try await store.condense(&compactor, at: Self.late)
    #expect(tally.rows == 41 * 33)
    #expect(try await store.blockCount() == 9 + 1)
    let reader = store.skippingDamagedBlocks()
    #expect(try await reader.samples(.everything, order: []).count == 41 * 33)
  }

  @Test func `segments on a damaged page of the file keep no others from being stored and read`()
    async throws
  {
    try await withTemporaryDirectory { directory in
      let path = directory + "/s.sqlite"
      let store = try SampleDatabase.open(at: path)
      let minutes = MeasuredMinutes(1)
      for second in 1..<60 as Range<Int64> {
        _ = try await store.save([], measured: [minutes.second(second)[0]], as: .segments)
      }
      try store.close()
      // Damage a page of the table. The index still lists the first segment of that page.
      let database = try DatabaseQueue(path: path)
      let page = try await database.read {
        try Int.fetchOne(
          $0, sql: "SELECT pageno FROM dbstat WHERE name = 'block' AND path LIKE '/000/%' LIMIT 1")
      }
      try database.close()
      let offset = (try #require(page) - 1) * SampleDatabase.pageSize
      var bytes = try Data(contentsOf: URL(filePath: path))
      bytes.replaceSubrange(offset..<offset + 8, with: Data(repeating: 0xFF, count: 8))
      try bytes.write(to: URL(filePath: path))
      let again = try SampleDatabase.open(at: path)
      try await again.saveMeasured(70..<80, of: minutes)
      var compactor = Compactor(again)
      // If SQLite needs the damaged page to delete other rows, the hour is left as it is, and reported.
      let tally = try await again.condense(&compactor, at: Self.late)
      #expect(tally.rows + tally.left > 0, "\(tally)")
      #expect((1...58).contains(again.damagedBlocks.torn.count))
      let kept = try await again.skippingDamagedBlocks().samples(.type("t"), order: []).count
      #expect(kept == 4 * (59 + 10 - again.damagedBlocks.torn.count))
    }
  }

  @Test(arguments: [
    "UPDATE block SET samples = x'' WHERE id = 3", "UPDATE block SET count = 9 WHERE id = 3",
    "UPDATE block SET first_change = 5 WHERE id = 3", "UPDATE block SET end = end - 9 WHERE id = 3",
    "UPDATE block SET last_change = 900 WHERE id = 3", "INSERT INTO sample_count VALUES (1, 1, 1)",
    "DELETE FROM metadata", "DELETE FROM unit", "DELETE FROM provenance",
    "UPDATE block SET samples = CAST(substr(samples, 1, 30) || x'ff' || substr(samples, 32) AS BLOB)",
  ])
  func `damage is found`(sql: String) async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/s.sqlite"
      let store = try SampleDatabase.open(at: path)
      try await store.saveMeasured(1..<4)
      #expect(try StoreUpkeep.check(at: path).findings == [])
      #expect(try StoreUpkeep.check(at: path).size?.samples == 99)
      try store.close()
      // Switch off foreign keys, because real damage does not respect them.
      var configuration = Configuration()
      configuration.foreignKeysEnabled = false
      let database = try DatabaseQueue(path: path, configuration: configuration)
      try await database.write { try $0.execute(sql: sql) }
      try database.close()
      #expect(try StoreUpkeep.check(at: path).findings.count > 0)
    }
  }

  @Test func `recovery saves each sample of the small segments that can be read, and reports the others`()
    async throws
  {
    try await withTemporaryDirectory { directory in
      let path = directory + "/s.sqlite"
      let store = try SampleDatabase.open(at: path)
      try await store.saveMeasured(1..<11)
      let before = try await store.samples(.startsFrom(packedHour + 3_000_000), order: [])
      try await store.damageBlocks("id IN (10, 11)")
      try store.close()
      let recovered = try StoreUpkeep.recover(path, to: directory + "/new", .ofTests)
      // Two damaged segments of one hour are reported as one hour.
      #expect(recovered.lostBlocks == [Self.damage + "the compressed data is truncated"])
      #expect(recovered.dropped["block"] == 2)
      #expect(try StoreUpkeep.check(at: directory + "/new").findings == [])
      let new = try SampleDatabase.open(at: directory + "/new")
      #expect(try await new.samples(.startsFrom(packedHour + 3_000_000), order: []) == before)
      #expect(try await new.everySample().count == 10 * 33 - 8)
      #expect(try await new.lastChange() == 330)
    }
  }

  @Test func `a vacuum keeps what small segments refer to`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/s.sqlite"
      let store = try SampleDatabase.open(at: path)
      try await store.saveMeasured(1..<4)
      let before = try await store.everySample()
      try store.close()
      _ = try StoreUpkeep.vacuum(path)
      #expect(try await SampleDatabase.open(at: path).everySample() == before)
    }
  }
}
