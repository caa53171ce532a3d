import Foundation
import GRDB
import PackedSamples
import Testing

@testable import HealthStorage
@testable import TestSupport

/// Tests merging the small segments of an hour.
@Suite struct SegmentMergingTests {
  /// The time from which the hour of the tests is compacted.
  private static let late = packedHour + HourSummary.length + Compactor.lateness

  private static let kind = MeasuredKind(
    type: "t", unit: "u", provenance: provenance(source: "org.hrgate.monitor.a"), metadata: nil,
    monitor: "a")

  @Test func `small segments of an hour are merged when it is over`() async throws {
    let store = try SampleDatabase.inMemory()
    try await store.saveMeasured(1..<41)
    let before = try await store.everySample()
    var compactor = Compactor(store)
    #expect(try await store.condense(&compactor, at: Self.late - 1).rows == 0)
    let tally = try await store.condense(&compactor, at: Self.late)
    #expect(tally.rows == before.count && tally.left == 0)
    #expect(try await store.blockCount() == 9)
    #expect(try await store.count(of: "sample") == 0)
    #expect(try await store.everySample() == before)
    #expect(try await store.inventory().map(\.count).reduce(0, +) == before.count)
    // Late samples are merged into the same segments by the next compaction.
    try await store.saveMeasured(50..<60)
    let all = try await store.everySample()
    #expect(try await store.condense(&compactor, at: Self.late).rows == 10 * 33 + 40)
    #expect(try await store.blockCount() == 9)
    #expect(try await store.everySample() == all)
    // Nothing is left to be merged.
    #expect(try await store.condense(&compactor, at: Self.late) == CompactionTally())
    var again = Compactor(store)
    #expect(try await store.condense(&again, at: Self.late) == CompactionTally())
  }

  @Test func `of merged segments no two fit into one, and none is larger than allowed`() async throws {
    let store = try SampleDatabase.inMemory()
    var generator = SeededGenerator(seed: 12)
    var time = packedHour
    var times: [Int64] = []
    while time < packedHour + HourSummary.length {
      let commit = (0..<Int64.random(in: 1...900, using: &generator)).map { time + $0 * 100_000 }
        .filter { $0 < packedHour + HourSummary.length }
      times += commit
      _ = try await store.save([], measured: [Self.rates(commit)], as: .segments)
      time += Int64(commit.count) * 100_000
    }
    // There are more samples than one transaction merges.
    #expect(times.count > 30_000)
    let before = try await store.everySample()
    var compactor = Compactor(store)
    #expect(try await store.condense(&compactor, at: Self.late).left == 0)
    let counts = try await store.read { try Int.fetchAll($0, sql: "SELECT count FROM block ORDER BY count") }
    #expect(counts.reduce(0, +) == times.count)
    #expect(counts[0] + counts[1] > SampleBlock.capacity && counts.allSatisfy { $0 <= SampleBlock.capacity })
    #expect(try await store.everySample() == before)
  }

  @Test func `an hour at 1 Hz takes at most three bytes a sample after compaction`() async throws {
    try await withTemporaryDirectory { directory in
      let store = try SampleDatabase.open(at: directory + "/s")
      var generator = SeededGenerator(seed: 5)
      let hours: Int64 = 6
      var (rate, time) = (70.0, packedHour)
      while time < packedHour + hours * HourSummary.length {
        var measured = MeasuredQuantities(Self.kind)
        for _ in 0..<5 {
          // Heart rates arrive in radio slots of 30 ms, with a jitter of 0.3 ms.
          let slot = Int64.random(in: 0...1, using: &generator) * 30_000
          measured.append(
            heartRate: rate, at: time + slot + Int64.random(in: 0...300, using: &generator), occurrence: 0)
          rate = min(190, max(45, rate + Double(Int.random(in: -1...1, using: &generator))))
          time += 1_000_000
        }
        _ = try await store.save([], measured: [measured], as: .segments)
      }
      #expect(try await store.blockCount() == Int(hours) * 720)
      var compactor = Compactor(store)
      _ = try await store.condense(&compactor, at: time + HourSummary.length)
      #expect(try await store.blockCount() == Int(hours))
      // The size includes the indexes and the free space of pages.
      let size = try await store.writer.writeWithoutTransaction { database in
        try database.execute(sql: "VACUUM")
        return try Int.fetchOne(database, sql: "SELECT sum(pgsize) FROM dbstat WHERE name LIKE 'block%'") ?? 0
      }
      let perSample = Double(size) / Double(hours * 3600)
      #expect((1.0...3.0).contains(perSample), "\(perSample)")
    }
  }

  @Test func `segments that do not read as before stay unchanged`() async throws {
    let store = try SampleDatabase.inMemory()
    try await store.saveMeasured(1..<41)
    let before = try await store.everySample()
    let hour = try #require(try await store.packableHours(in: 0..<Int64.max / 2).first)
    let outcome = try await store.packHour(hour) { block in
      var other = SampleBlock()
      for place in 0..<block.count {
        other.append(
          start: block.starts[place], duration: block.durations[place], value: block.values[place] + 1,
          change: block.changes[place], identity: block.identities[place])
      }
      other.monitor = block.monitor
      return try other.encoded()
    }
    guard case .differs = outcome else { return #expect(Bool(false), "\(outcome)") }
    #expect(try await store.blockCount() == 40 * 9)
    #expect(try await store.everySample() == before)
  }

  @Test func `a sample of a small segment is deleted, and only that segment becomes rows`() async throws {
    let store = try SampleDatabase.inMemory()
    try await store.saveMeasured(1..<41)
    let before = try await store.everySample()
    let one = try #require(before.last { $0.value ?? 0 > 50 })
    try await store.delete([one.uuid], savedBy: one.provenance.revision.source.bundleIdentifier)
    let after = before.filter { $0.uuid != one.uuid }
    #expect(try await store.everySample() == after)
    #expect(try await store.blockCount() == 40 * 9 - 1)
    #expect(try await store.count(of: "sample") == 3)
    #expect(try await store.inventory().map(\.count).reduce(0, +) == after.count)
    // Rows of the hour are compacted together with its segments.
    var compactor = Compactor(store)
    _ = try await store.condense(&compactor, at: Self.late)
    #expect(try await store.count(of: "sample") == 0)
    #expect(try await store.blockCount() == 9)
    #expect(try await store.everySample() == after)
  }

  @Test func `a query for the newest sample decodes one segment`() async throws {
    let store = try SampleDatabase.inMemory()
    try await store.saveMeasured(100..<200, of: MeasuredMinutes(1))
    let all = try await store.samples(.type("t"), order: [.start(ascending: false)])
    // Save late samples of the hour.
    try await store.saveMeasured(20..<40, of: MeasuredMinutes(1))
    let (reads, found) = try await store.blockReads {
      try await store.samples(.type("t"), order: [.start(ascending: false)], limit: 3)
    }
    #expect(found == Array(all.prefix(3)))
    #expect(reads == 1)
    let (later, count) = try await store.blockReads {
      try await store.samples(
        .all([.type("t"), .startsFrom(packedHour + 195_000_000)]), order: [.start(ascending: true)]
      ).count
    }
    #expect(count == 20)
    #expect(later == 5)
  }

  private static func rates(_ times: [Int64]) -> MeasuredQuantities {
    var rates = MeasuredQuantities(kind)
    for (place, time) in times.enumerated() {
      rates.append(heartRate: Double(60 + place % 7), at: time, occurrence: 0)
    }
    return rates
  }
}
