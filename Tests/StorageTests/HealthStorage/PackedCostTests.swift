import Foundation
import GRDB
import Testing

@testable import HealthStorage
@testable import TestSupport

/// Tests that the number of decoded segments depends on the query, and not on the number of samples.
@Suite struct PackedCostTests {
  private var generator = SeededGenerator(seed: 9)

  /// Returns a store with four segments of two hundred heart rates each.
  private mutating func packed() async throws -> (store: SampleDatabase, hours: [[SampleRecord]]) {
    let store = try SampleDatabase.inMemory()
    var hours: [[SampleRecord]] = []
    for hour in 0..<4 {
      hours.append(secondsOfHour(200, from: packedHour + Int64(hour) * HourSummary.length, &generator))
      try await store.save(hours[hour])
    }
    #expect(try await store.packAll().count == 4)
    return (store, hours)
  }

  @Test mutating func `many samples of an hour are found by decoding its segment once`() async throws {
    let (store, hours) = try await packed()
    let uuids = hours[1].map(\.uuid)
    let (reads, found) = try await store.blockReads {
      try await store.samples(.uuids(Set(uuids)), order: [.insertion(ascending: true)])
    }
    #expect(found == hours[1])
    #expect(reads == 1)
    let (lookups, known) = try await store.blockReads { try await store.stored(among: uuids) }
    #expect(known.count == 200)
    #expect(lookups == 1)
    let (members, quantities) = try await store.blockReads {
      try await store.quantities(ofEffective: Array(uuids.prefix(100)) + [hours[3][0].uuid])
    }
    #expect(quantities.values["t"]?.count == 101)
    // The two segments are decoded twice: for the row IDs of the samples, and for their values.
    #expect(members == 4)
    let (changed, page) = try await store.blockReads {
      try await store.changes([("t", .everything)], after: 390, of: nil, limit: 20)
    }
    #expect(page.added == Array((hours[1] + hours[2])[190..<210]))
    #expect(changed <= 6)
  }

  @Test mutating func `bounds on positions in the change log exclude segments`() async throws {
    let (store, hours) = try await packed()
    // The samples are ordered by start. The segments before the last one are not decoded.
    let (reads, found) = try await store.blockReads {
      try await store.samples(.storedAfter(650), order: [.start(ascending: true)])
    }
    #expect(found == Array(hours[3].suffix(150)))
    #expect(reads == 1)
  }

  @Test mutating func `segments of other sources are not decoded`() async throws {
    let (store, hours) = try await packed()
    try await store.save(secondsOfHour(100, source: "z", &generator))
    try await store.packAll()
    try await store.damageBlocks("provenance = 2")
    let found = try await store.samples(.sources(["s"]), order: [.insertion(ascending: true)])
    #expect(found == Array(hours.joined()))
  }

  @Test mutating func `a query for sources decodes one segment for each`() async throws {
    let (store, _) = try await packed()
    let (reads, sources) = try await store.blockReads { try await store.sources(.type("t")) }
    #expect(sources.map(\.bundleIdentifier) == ["s"])
    #expect(reads == 1)
  }

  @Test mutating func `a deletion of many samples turns each segment into rows once`() async throws {
    let (store, hours) = try await packed()
    let (reads, _) = try await store.blockReads {
      try await store.delete(hours[0].prefix(150).map(\.uuid), savedBy: "s")
    }
    #expect(reads == 1)
    let time = SampleFilter.all([
      .type("t"), .startsFrom(packedHour + HourSummary.length),
      // The end is exclusive, but whole segments are chosen by inclusive bounds. Subtract 1 to exclude the
      // next one.
      .startsBefore(packedHour + 3 * HourSummary.length - 1),
    ])
    let (more, count) = try await store.blockReads {
      try await store.deleteMatching(time, inTransactionsOf: 20) { _ in true }
    }
    #expect(count == 400)
    // Each of the two segments is decoded to find its samples, and again to turn it into rows.
    #expect(more == 4)
    #expect(try await store.blockCount() == 1)
    #expect(try await store.counts(.everything)["t"] == 250)
  }

  @Test mutating func `segments that do not fit in memory are decoded again`() async throws {
    let store = try SampleDatabase.inMemory()
    let sources = (0..<24).map { "s\($0)" }
    var all: [SampleRecord] = []
    for source in sources { all += secondsOfHour(80, source: source, &generator) }
    try await store.save(all)
    #expect(try await store.packAll().count == sources.count)
    // Sort the samples by time, so that consecutive ones are in different segments.
    let uuids = all.sorted { $0.start < $1.start }.map(\.uuid)
    let (reads, known) = try await store.blockReads { try await store.stored(among: uuids) }
    #expect(known.count == all.count)
    #expect(reads == sources.count)
    // Limit the memory to three decoded segments.
    let (few, found) = try await store.blockReads {
      try await store.read { database in
        let identities = try PackedIdentities(in: database, DamagedBlocks(), capacity: 9000)
        return try uuids.prefix(48).filter { try identities.contains($0) }.count
      }
    }
    #expect(found == 48)
    #expect(few > sources.count && few < 48 * sources.count)
  }

  @Test(arguments: [false, true])
  mutating func `of segments that overlap in the change log because of late samples, few are in memory`(
    isDescending: Bool
  ) async throws {
    let (store, hours) = try await packed()
    var late: [SampleRecord] = []
    for hour in hours.indices {
      for position in 0..<3 {
        let start = packedHour + Int64(hour) * HourSummary.length + 500_000 + Int64(position) * 7_000_000
        late.append(record(1, at: start, uuid: gatewayUUID(end: start, &generator)))
      }
    }
    try await store.save(late)
    try await store.packAll()
    #expect(try await store.rows().isEmpty)
    try await store.read { database in
      var request = PackedSampleRequest()
      request.isByChange = true
      request.isDescending = isDescending
      let cursor = try PackedSampleCursor(request, database.sqliteConnection!, holding: 2)
      var changes: [Int64] = []
      while let block = cursor.block {
        changes.append(block.changes[cursor.position])
        #expect(cursor.held <= 2)
        try cursor.advance()
      }
      #expect(changes == (isDescending ? Array((1...812).reversed()) : Array(1...812)))
    }
  }
}
