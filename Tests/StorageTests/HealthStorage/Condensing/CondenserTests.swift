import Foundation
import GRDB
import Testing

@testable import HealthStorage
@testable import TestSupport

/// Tests which hours are compacted when, and that compaction does not change the samples.
@Suite struct CompactorTests {
  @Test func `finished hours are compacted, and every sample is unchanged`() async throws {
    let database = try SampleDatabase.inMemory()
    try await database.save(DenseHours.records(0..<4) + DenseHours.records(1..<3, source: "r", seed: 2))
    let before = try await database.everySample()
    var compactor = Compactor(database)
    let tally = try await database.condense(&compactor, at: DenseHours.after(3))
    #expect(tally.rows == 5 * 80 && tally.hours == 5 && tally.left == 0)
    #expect(try await database.count(of: "sample") == 80)
    #expect(try await database.count(of: "block") == 5)
    #expect(try await database.everySample() == before)
    // Hours that are compacted already are not compacted again.
    #expect(try await database.condense(&compactor, at: DenseHours.after(3)) == CompactionTally())
  }

  @Test func `an hour is finished ten minutes after its end`() async throws {
    let database = try SampleDatabase.inMemory()
    try await database.save(DenseHours.records(0..<1))
    var compactor = Compactor(database)
    #expect(try await database.condense(&compactor, at: DenseHours.after(1) - 1).rows == 0)
    #expect(try await database.condense(&compactor, at: DenseHours.after(1)).rows == 80)
  }

  @Test func `a later run compacts late samples and newly finished hours`() async throws {
    let database = try SampleDatabase.inMemory()
    try await database.save(DenseHours.records(3..<6))
    var compactor = Compactor(database)
    #expect(try await database.condense(&compactor, at: DenseHours.after(5)).rows == 160)
    // Add late samples to a compacted hour, and an hour before all others. The third hour was not finished
    // before.
    try await database.save(DenseHours.records(4..<5, each: 3, offset: 1, seed: 2))
    try await database.save(DenseHours.records(0..<1, seed: 3))
    let before = try await database.everySample()
    let tally = try await database.condense(&compactor, at: DenseHours.after(6))
    #expect(tally.rows == 3 + 80 + 80 && tally.hours == 3)
    #expect(try await database.count(of: "sample") == 0)
    #expect(try await database.everySample() == before)
  }

  @Test func `after an interrupted run the next one skips nothing`() async throws {
    let database = try SampleDatabase.inMemory()
    try await database.save(DenseHours.records(5..<6))
    var compactor = Compactor(database)
    #expect(try await database.condense(&compactor, at: DenseHours.after(9)).rows == 80)
    try await database.save(DenseHours.records(0..<3, seed: 2))
    try await compactor.look()
    var step: CompactionStep?
    repeat { step = try await compactor.step(at: DenseHours.after(9)) } while step == .looked
    #expect(step == .packed(rows: 80))
    #expect(try await database.condense(&compactor, at: DenseHours.after(9)).rows == 160)
  }

  @Test func `an hour with a damaged block is unchanged and reported, and others are compacted`()
    async throws
  {
    let database = try SampleDatabase.inMemory()
    try await database.save(DenseHours.records(0..<2))
    var compactor = Compactor(database)
    _ = try await database.condense(&compactor, at: DenseHours.after(2))
    try await database.save(DenseHours.records(0..<3, offset: 1, seed: 2))
    try await database.write { database in
      try database.execute(
        sql: "UPDATE block SET samples = CAST(substr(samples, 1, 30) AS BLOB) WHERE start < ?",
        arguments: [DenseHours.origin + DenseHours.length])
    }
    let tally = try await database.condense(&compactor, at: DenseHours.after(3))
    #expect(tally.hours == 2 && tally.rows == 160 && tally.left == 1)
    #expect(tally.reason?.contains("the compressed samples of t of 2023-11-14T22:00:00Z") == true, "\(tally)")
    #expect(try await database.count(of: "sample") == 80)
  }

  @Test func `a full disk leaves the store unchanged, and with space the rest is compacted`() async throws {
    try await withTemporaryDirectory { directory in
      let database = try SampleDatabase.open(at: directory + "/s")
      try await database.save(DenseHours.records(0..<3, each: 2000))
      try await database.writer.writeWithoutTransaction { try $0.execute(sql: "VACUUM") }
      let before = try await database.everySample()
      func limit(to spare: Int) async throws {
        try await database.writer.writeWithoutTransaction { database in
          let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
          _ = try Int.fetchOne(database, sql: "PRAGMA max_page_count = \(pages + spare)")
        }
      }
      var compactor = Compactor(database)
      try await limit(to: 0)
      await #expect(throws: StorageError.self) {
        try await database.condense(&compactor, at: DenseHours.after(3))
      }
      #expect(try await database.count(of: "sample") == before.count)
      #expect(try await database.everySample() == before)
      try await limit(to: 1000)
      #expect(try await database.condense(&compactor, at: DenseHours.after(3)).rows == before.count)
      #expect(try await database.everySample() == before)
    }
  }

  @Test func `samples written meanwhile by another program are kept, and none are rejected`() async throws {
    try await withTemporaryDirectory { directory in
      let hours: Int64 = isLongRun ? 200 : 12
      let database = try SampleDatabase.open(at: directory + "/s")
      let other = try SampleDatabase.open(at: directory + "/s")
      let first = DenseHours.records(0..<hours)
      try await database.save(first)
      // Another program saves samples into the hours that are being compacted. Some samples are stored
      // already.
      let late = DenseHours.records(0..<hours, each: 4, offset: 1, seed: 2).shuffled()
      async let written: Void = {
        for sample in late { try await other.save([sample]) }
      }()
      var compactor = Compactor(database)
      var tally = try await database.condense(&compactor, at: DenseHours.after(hours))
      try await written
      tally.rows += try await database.condense(&compactor, at: DenseHours.after(hours)).rows
      #expect(tally.rows == first.count + late.count && tally.left == 0)
      #expect(try await database.count(of: "sample") == 0)
      let found = try await database.everySample()
      #expect(found.count == first.count + late.count)
      #expect(Set(found.map(\.uuid)) == Set((first + late).map(\.uuid)))
    }
  }
}
