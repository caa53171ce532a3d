import Foundation
import GRDB
import PackedSamples
import Testing

@testable import HealthStorage
@testable import TestSupport

/// Tests that compacting an hour into segments and turning them back into rows does not change a bit.
@Suite struct HourPackingTests {
  private var generator = SeededGenerator(seed: 11)

  @Test mutating func `unpacking a packed hour gives the same samples`() async throws {
    let store = try SampleDatabase.inMemory()
    var records = secondsOfHour(3000, &generator)
    // Include samples with a duration, a value with many decimals, and another source in the same hour.
    records[7] = record(
      .pi, at: packedHour + 7_000_001, lasting: 900_000,
      uuid: gatewayUUID(end: packedHour + 7_900_001, &generator))
    records += secondsOfHour(100, source: "z", &generator)
    try await store.save(records)
    let before = try await store.rows()
    let outcomes = try await store.packAll()
    guard case .packed(3000, 1, 3000, let bytes) = outcomes.first else {
      Issue.record("\(outcomes)")
      return
    }
    // Because of one value with many decimals, each value of the segment takes eight bytes.
    #expect(bytes < 3000 * 20)
    #expect(outcomes.count == 2)
    #expect(try await store.rows().isEmpty)
    let counts = try await store.inventory().map(\.count)
    #expect(counts == [3000, 100])
    try await store.unpackAll()
    #expect(try await store.rows() == before)
    #expect(try await store.blockCount() == 0)
    #expect(try await store.inventory().map(\.count) == counts)
  }

  @Test mutating func `late samples are added to the block of the hour, and too many are split into two`()
    async throws
  {
    let store = try SampleDatabase.inMemory()
    try await store.save(secondsOfHour(3500, &generator))
    try await store.packAll()
    let late = (0..<1000).map { place in
      let start = packedHour + Int64(place) * 3_000_000 + 500_000
      return record(1, at: start, uuid: gatewayUUID(end: start, &generator))
    }
    try await store.save(late)
    #expect(try await store.rows().count == 1000)
    let outcomes = try await store.packAll()
    guard case .packed(1000, 2, 4500, _) = outcomes.first, outcomes.count == 1 else {
      Issue.record("\(outcomes)")
      return
    }
    #expect(try await store.blockCount() == 2)
    #expect(try await store.packableHours(in: 0..<Int64.max / 2).isEmpty)
  }

  @Test mutating func `samples that cannot be packed stay rows`() async throws {
    let store = try SampleDatabase.inMemory()
    let hour = secondsOfHour(64, &generator)
    let last = packedHour + HourSummary.length - 1
    let others = [
      // A sample whose UUID is not a gateway's, and one whose UUID contains another time.
      record(1, at: packedHour), record(2, at: packedHour, uuid: gatewayUUID(end: last, &generator)),
      // A sample that ends in the next hour.
      record(3, at: last, lasting: 1, uuid: gatewayUUID(end: last + 1, &generator)),
      record(
        4, at: packedHour, uuid: gatewayUUID(end: packedHour, &generator),
        metadata: EncodedMetadata([:], sync: EncodedMetadata.Sync(identifier: "i", version: 1))),
    ]
    try await store.save(hour + others)
    let ill = SampleRecord(
      uuid: gatewayUUID(end: packedHour, &generator), type: "c", start: packedHour, end: packedHour,
      provenance: provenance(), metadata: nil, content: .category(1))
    try await store.save([ill])
    let outcomes = try await store.packAll()
    guard case .packed(64, 1, 64, _) = outcomes.first, outcomes.count == 1 else {
      Issue.record("\(outcomes)")
      return
    }
    #expect(try await store.rows().count == others.count + 1)
  }

  @Test mutating func `few samples stay rows`() async throws {
    let store = try SampleDatabase.inMemory()
    try await store.save(secondsOfHour(63, &generator))
    #expect(try await store.packableHours(in: 0..<Int64.max / 2).isEmpty)
    let hour = PackableHour(type: 1, unit: 1, provenance: 1, metadata: nil, start: packedHour)
    #expect(try await store.packHour(hour) == .nothing)
    #expect(try await store.blockCount() == 0)
  }

  @Test mutating func `samples that would not decode unchanged stay rows and are reported`() async throws {
    let store = try SampleDatabase.inMemory()
    try await store.save(secondsOfHour(100, &generator))
    let before = try await store.rows()
    let hour = try #require(try await store.packableHours(in: 0..<Int64.max / 2).first)
    let outcome = try await store.packHour(hour) { block in
      var other = SampleBlock()
      for place in 0..<block.count {
        other.append(
          start: block.starts[place], duration: 0, value: block.values[place] + (place == 50 ? 1 : 0),
          change: block.changes[place], identity: block.identities[place])
      }
      return try other.encoded()
    }
    #expect(outcome == .differs("the compressed samples differ from the original ones"))
    let damaged = try await store.packHour(hour) { try $0.encoded().dropLast() }
    guard case .differs(let text) = damaged else {
      Issue.record("\(damaged)")
      return
    }
    #expect(text.contains("2023-11-14T22:00:00Z"), "\(text)")
    #expect(try await store.rows() == before)
    #expect(try await store.blockCount() == 0)
    #expect(try await store.inventory().map(\.count) == [100])
  }

  @Test mutating func `a block that cannot be read is reported, and its hour is unchanged`() async throws {
    let store = try SampleDatabase.inMemory()
    try await store.save(secondsOfHour(100, &generator))
    try await store.packAll()
    try await store.save([
      record(1, at: packedHour + 1, uuid: gatewayUUID(end: packedHour + 1, &generator))
    ])
    try await store.writer.write {
      try $0.execute(sql: "UPDATE block SET samples = CAST(substr(samples, 1, 40) AS BLOB)")
    }
    let error = await #expect(throws: StorageError.self) { try await store.packAll() }
    guard case .damagedBlock(let text) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(text.hasPrefix("the compressed samples of t of 2023-11-14T22:00:00Z cannot be read: "), "\(text)")
    #expect(try await store.rows().count == 1)
    #expect(try await store.blockCount() == 1)
  }

  @Test mutating func `an hour with very many samples is packed in several transactions`() async throws {
    let store = try SampleDatabase.inMemory()
    let records = (0..<PackingLimit.most + 700).map { place in
      let start = packedHour + Int64(place) * 300_000
      return record(Double(place % 90), at: start, uuid: gatewayUUID(end: start, &generator))
    }
    try await store.save(records)
    let before = try await store.rows()
    let hour = try #require(try await store.packableHours(in: 0..<Int64.max / 2).first)
    #expect(try await store.rows().count == PackingLimit.most + 700)
    guard case .packed(PackingLimit.most, 2, PackingLimit.most, _) = try await store.packHour(hour) else {
      Issue.record("not as many as fit in one")
      return
    }
    #expect(try await store.rows().count == 700)
    try await store.unpackAll()
    #expect(try await store.rows() == before)
    // The compaction repeats the hour until no row is left.
    var compactor = Compactor(store)
    let tally = try await store.condense(&compactor, at: packedHour + 2 * HourSummary.length)
    #expect(tally.rows == records.count)
    #expect(try await store.rows().isEmpty)
    // A late sample is added to the segment that has space. Full segments are not changed.
    let late = packedHour + 100
    try await store.save([record(1, at: late, uuid: gatewayUUID(end: late, &generator))])
    #expect(
      try await store.packAll().map { if case .packed(1, 1, 701, _) = $0 { true } else { false } } == [true])
  }

  @Test mutating func `very many equal samples of one time keep their hashes`() async throws {
    let store = try SampleDatabase.inMemory()
    let source = "org.hrgate.monitor.F0:0D:BE:A7:01:01"
    var identity = MeasuredIdentity(monitor: "F0:0D:BE:A7:01:01")
    let records = (0..<UInt32(80)).map { occurrence in
      record(
        60, at: packedHour,
        uuid: UUID(words: identity.words(ofHeartRate: 60, at: packedHour, occurrence: occurrence)),
        from: provenance(source: source))
    }
    try await store.save(records)
    let before = try await store.rows()
    try await store.packAll()
    #expect(try await store.blockCount() == 1)
    #expect(try await store.samples(.everything, order: [.insertion(ascending: true)]) == records)
    try await store.unpackAll()
    #expect(try await store.rows() == before)
  }

  @Test func `on a full disk a packed sample cannot be deleted, and the store is unchanged`() async throws {
    try await withTemporaryDirectory { directory in
      var generator = SeededGenerator(seed: 2)
      let store = try SampleDatabase.open(at: directory + "/s")
      let records = secondsOfHour(3000, &generator)
      try await store.save(records)
      try await store.packAll()
      try await store.writer.writeWithoutTransaction { database in
        try database.execute(sql: "VACUUM")
        let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
        _ = try Int.fetchOne(database, sql: "PRAGMA max_page_count = \(pages + 3)")
      }
      let error = await #expect(throws: StorageError.self) {
        try await store.delete([records[7].uuid], savedBy: "s")
      }
      guard case .sqlite("SQLITE_FULL", _) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(try await store.blockCount() == 1)
      #expect(try await store.samples(.everything, order: [.insertion(ascending: true)]) == records)
      #expect(try StoreUpkeep.check(at: directory + "/s").findings == [])
      _ = try await store.writer.writeWithoutTransaction {
        try Int.fetchOne($0, sql: "PRAGMA max_page_count = 100000")
      }
      try await store.delete([records[7].uuid], savedBy: "s")
      #expect(try await store.counts(.everything)["t"] == 2999)
    }
  }
}
