import Foundation
import GRDB
import PackedSamples
import Synchronization
import Testing

@testable import HealthStorage
@testable import TestSupport

/// Tests that measurements of monitors give the same samples whether they are saved as rows or as segments.
@Suite struct MeasuredSavingTests {
  private static let forms: [MeasuredForm] = [.rows, .segments]

  private static let kind = MeasuredKind(
    type: "t", unit: "u", provenance: provenance(source: "org.hrgate.monitor.a"), metadata: nil,
    monitor: "a")
  private func rates(_ times: [Int64]) -> MeasuredQuantities {
    var rates = MeasuredQuantities(Self.kind)
    for (place, time) in times.enumerated() {
      rates.append(heartRate: Double(60 + place % 7), at: time, occurrence: 0)
    }
    return rates
  }

  @Test func `a commit writes a segment for each kind, with the same samples and positions as rows`()
    async throws
  {
    let (rows, segments) = (try SampleDatabase.inMemory(), try SampleDatabase.inMemory())
    try await rows.saveMeasured(1..<31, as: .rows)
    try await segments.saveMeasured(1..<31)
    #expect(try await segments.blockCount() == 30 * 9)
    #expect(try await segments.count(of: "sample") == 0)
    let all = try await rows.everySample()
    #expect(all.count == 30 * 33)
    #expect(try await segments.everySample() == all)
    #expect(try await segments.stored(among: all.map(\.uuid)).count == all.count)
    #expect(try await segments.inventory().map(\.count) == rows.inventory().map(\.count))
    #expect(try await segments.lastChange() == rows.lastChange())
    for order in [SampleOrder.insertion(ascending: true), .start(ascending: false), .end(ascending: true)] {
      #expect(
        try await segments.samples(.everything, order: [order])
          == rows.samples(.everything, order: [order]))
    }
  }

  @Test(arguments: forms)
  func `what is measured again is stored once, and counted`(form: MeasuredForm) async throws {
    for again in Self.forms {
      let store = try SampleDatabase.inMemory()
      let minutes = MeasuredMinutes(2)
      try await store.saveMeasured(0..<90, of: minutes, as: form)
      let before = try await store.everySample()
      // Save the last second again, together with a new second.
      var both = minutes.second(88)
      for (place, next) in minutes.second(90).enumerated() {
        for (at, value) in zip(next.starts, next.values) where place < 2 {
          both[place].append(heartRate: value, at: at, occurrence: 0)
        }
      }
      let outcome = try await store.save([], measured: both, as: again).measured
      #expect(outcome.map(\.stored) == [4, 4, 0])
      #expect(outcome.map(\.duplicates) == [4, 4, 1])
      #expect(try await store.everySample().count == before.count + 8)
      let twice = minutes.second(95)
      let second = try await store.save([], measured: twice + twice, as: again).measured
      #expect(second.map(\.stored) == [4, 4, 1, 0, 0, 0])
    }
  }

  @Test func `new measurements are not compared with stored ones, whose segments are not decoded`()
    async throws
  {
    let store = try SampleDatabase.inMemory()
    try await store.saveMeasured(1..<40)
    let (reads, _) = try await store.blockReads { try await store.saveMeasured(40..<60) }
    #expect(reads == 0)
    // Empty the cache of interned rows, as a commit of another connection does.
    store.interned.rows.withLock { $0 = InternedRows() }
    let (again, _) = try await store.blockReads { try await store.saveMeasured(60..<61) }
    #expect(again == 0)
  }

  @Test func `what an earlier version stored under another identity is not stored again`() async throws {
    for form in Self.forms {
      let store = try SampleDatabase.inMemory()
      var generator = SeededGenerator(seed: 9)
      let earlier = gatewayUUID(end: packedHour, &generator)
      try await store.save([record(61, at: packedHour, uuid: earlier, from: Self.kind.provenance)])
      var measured = MeasuredQuantities(Self.kind)
      measured.append(heartRate: 61, at: packedHour, occurrence: 0, earlier: earlier)
      measured.append(heartRate: 62, at: packedHour, occurrence: 0, earlier: gatewayUUID(end: 0, &generator))
      measured.append(heartRate: 63, at: packedHour + 9, occurrence: 0)
      #expect(try await store.unsaved(of: [measured]).map(\.values) == [[62, 63]])
      #expect(try await store.save([], measured: [measured], as: form).measured.map(\.stored) == [2])
      #expect(try await store.unsaved(of: [measured]).map(\.values) == [[]])
      #expect(try await store.everySample().map(\.value) == [61, 62, 63])
    }
  }

  @Test func `a commit over the end of an hour makes two segments, a sample that extends over it a row`()
    async throws
  {
    let store = try SampleDatabase.inMemory()
    let end = packedHour + HourSummary.length
    var generator = SeededGenerator(seed: 1)
    var energy = MeasuredQuantities(
      MeasuredKind(type: "e", unit: "kJ", provenance: Self.kind.provenance, metadata: nil, monitor: "a"))
    energy.append(1, from: end - 5, to: end + 5, uuid: gatewayUUID(end: end + 5, &generator))
    _ = try await store.save([], measured: [rates([end - 2, end - 1, end, end + 1]), energy], as: .segments)
    #expect(try await store.blockCount() == 2)
    #expect(try await store.count(of: "sample") == 1)
    #expect(try await store.everySample().map(\.start) == [end - 2, end - 1, end, end + 1, end - 5])
    #expect(try await store.samples(.startsFrom(end), order: []).count == 2)
  }

  @Test func `more samples than a segment holds make several of equal size`() async throws {
    let store = try SampleDatabase.inMemory()
    let rates = rates((0..<5000).map { packedHour + $0 * 500_000 })
    _ = try await store.save([], measured: [rates], as: .segments)
    #expect(
      try await store.read { try Int.fetchAll($0, sql: "SELECT count FROM block") } == [2500, 2500])
    #expect(try await store.everySample().map(\.start) == rates.starts)
  }

  // MARK: - Positions in the change log

  @Test func `segments, rows, deletions and relations get different positions in the order of the commits`()
    async throws
  {
    let store = try SampleDatabase.inMemory()
    let first = [packedHour + 1, packedHour + 2, packedHour + 3]
    _ = try await store.save([], measured: [rates(first)], as: .segments)
    #expect(try await store.lastChange() == 3)
    let row = record(1, at: 5)
    try await store.save([row])
    #expect(try await store.lastChange() == 4)
    // A segment and a row in one transaction: the segment gets the first position.
    let both = record(2, at: 6)
    _ = try await store.save([both], measured: [rates([packedHour + 10])], as: .segments)
    #expect(try await store.rows().map { $0["id"] as Int64 } == [4, 6])
    _ = try await store.save([], measured: [rates([packedHour + 20])], as: .segments)
    try await store.delete([row.uuid], savedBy: row.provenance.revision.source.bundleIdentifier)
    #expect(try await store.lastChange() == 8)
    #expect(try await store.read { try Int64.fetchAll($0, sql: "SELECT id FROM deleted_object") } == [8])
    _ = try await store.save([], measured: [rates([packedHour + 30])], as: .segments)
    let after = try await store.changes([("t", .everything)], after: 6, of: nil, limit: nil)
    #expect(after.added.map(\.start) == [packedHour + 20, packedHour + 30])
    #expect(after.position == 9)
    let log = try await store.samples(.everything, order: [.insertion(ascending: true)]).map(\.start)
    #expect(log == first + [packedHour + 10, 6, packedHour + 20, packedHour + 30])
    // Samples of a segment that becomes rows keep their positions. The next sample gets a new one.
    try await store.unpackAll()
    #expect(try await store.samples(.everything, order: [.insertion(ascending: true)]).map(\.start) == log)
    _ = try await store.save([], measured: [rates([packedHour + 40])], as: .segments)
    #expect(try await store.lastChange() == 10)
  }

  @Test func `a damaged position of a segment does not exhaust the positions`() async throws {
    let store = try SampleDatabase.inMemory()
    try await store.saveMeasured(1..<3)
    try await store.write {
      try $0.execute(sql: "UPDATE block SET last_change = 9223372036854775807 WHERE id = 1")
    }
    try await store.saveMeasured(3..<4)
    #expect(try await store.lastChange() == 3 * 33)
  }
}
