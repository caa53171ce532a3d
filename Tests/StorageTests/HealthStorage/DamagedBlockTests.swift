import Foundation
import GRDB
import Testing

@testable import HealthStorage
@testable import TestSupport

/// Tests that a damaged segment is reported, and affects only operations that need its samples.
@Suite struct DamagedBlockTests {
  private var generator = SeededGenerator(seed: 5)
  private static let name = "the compressed samples of t of 2023-11-14T22:00:00Z cannot be read: "
  private static let monitor = "org.hrgate.monitor.F0:0D:BE:A7:01:01"

  /// Compacts an hour of two sources and damages the segment of the first source.
  private mutating func damaged(
    _ source: String = "s"
  ) async throws -> (store: SampleDatabase, lost: [SampleRecord], kept: [SampleRecord]) {
    let store = try SampleDatabase.inMemory()
    let lost = secondsOfHour(100, source: source, &generator)
    let kept = secondsOfHour(100, source: "z", &generator)
    try await store.save(lost + kept)
    #expect(try await store.packAll().count == 2)
    try await store.damageBlocks("provenance = 1")
    return (store, lost, kept)
  }

  @Test mutating func `samples of the hour can be stored, and the damage is reported once`() async throws {
    let (store, lost, kept) = try await damaged()
    let late = packedHour + 500
    try await store.save([record(7, at: late, uuid: gatewayUUID(end: late, &generator))])
    try await store.save([record(8, at: late + 1, uuid: gatewayUUID(end: late + 1, &generator))])
    #expect(try await store.rows().count == 2)
    #expect(store.damagedBlocks.known.count == 1)
    #expect(store.damagedBlocks.known.first?.hasPrefix(Self.name) == true)
    var updates = store.damagedBlocks.updates().makeAsyncIterator()
    #expect(await updates.next() == store.damagedBlocks.known.first)
    // Samples of the damaged segment count as new, so that a replayed recording stores them again.
    let uuids = (lost + kept).map(\.uuid)
    #expect(try await store.stored(among: uuids) == Set(kept.map(\.uuid)))
    #expect(try await store.latestStart(of: "t") ?? 0 >= packedHour + 99_000_000)
    #expect(try await store.saveNew(lost + kept).stored == 100)
    // Saved once more, the samples are found in their rows.
    #expect(try await store.saveNew(lost + kept).stored == 0)
  }

  /// Compacts two hours of one type and source.
  private mutating func twoHours() async throws -> (store: SampleDatabase, hours: [[SampleRecord]]) {
    let store = try SampleDatabase.inMemory()
    let hours = [packedHour, packedHour + HourSummary.length].map {
      secondsOfHour(100, from: $0, source: "s", &generator)
    }
    for hour in hours { try await store.save(hour) }
    #expect(try await store.packAll().count == 2)
    return (store, hours)
  }

  @Test mutating func `readers that skip damage get everything except its hour, and it is recorded once`()
    async throws
  {
    let (store, hours) = try await twoHours()
    try await store.damageBlocks("id = (SELECT min(id) FROM block)")
    let reader = store.skippingDamagedBlocks()
    let kept = Set(hours[1].map(\.uuid))
    for ascending in [true, false] {
      let order = [SampleOrder.start(ascending: ascending)]
      #expect(Set(try await reader.samples(.type("t"), order: order).map(\.uuid)) == kept)
      #expect(Set(try await reader.uuids(.type("t"), order: order, limit: nil)) == kept)
      #expect(try await reader.samples(.type("t"), order: order, limit: 1).count == 1)
      await #expect(throws: StorageError.self) {
        try await store.samples(.all([.type("t"), .startsBefore(packedHour + 1)]), order: order)
      }
    }
    let count = try await reader.foldValues(.type("t"), type: "t", prepare: { _ in 0 }) { sum, _ in sum += 1 }
    #expect(count == 100)
    #expect(try await reader.counts(.type("t")) == ["t": 100])
    #expect(reader.damagedBlocks.known.count == 1)
    #expect(reader.damagedBlocks.known.first?.hasPrefix(Self.name) == true)
    // A reader that stores a position in the change log, such as sync, gets an error instead of skipping the
    // hour.
    await #expect(throws: StorageError.self) { try await store.counts(.type("t")) }
  }

  @Test mutating func `a flipped byte of a block hides only that block`() async throws {
    let (store, hours) = try await twoHours()
    let whole = try await store.samples(.type("t"), order: [.start(ascending: true)]).map(\.uuid)
    let bytes = try await store.read {
      try Data.fetchOne($0, sql: "SELECT samples FROM block ORDER BY id LIMIT 1") ?? Data()
    }
    let update = "UPDATE block SET samples = ? WHERE id = (SELECT min(id) FROM block)"
    var hidden = 0
    for place in stride(from: 0, to: bytes.count, by: 7) {
      var damaged = bytes
      damaged[place] ^= 0x10
      try await store.write { [damaged] in try $0.execute(sql: update, arguments: [damaged]) }
      let reader = store.skippingDamagedBlocks()
      let read = try await reader.samples(.type("t"), order: [.start(ascending: true)]).map(\.uuid)
      let values = try await reader.foldValues(.type("t"), type: "t", prepare: { _ in 0 }) {
        $0 += $1.end > 0 ? 1 : 0
      }
      let isHidden = read == hours[1].map(\.uuid) && values == 100
      #expect(isHidden || (read == whole && values == 200), "byte \(place)")
      if isHidden { hidden += 1 }
      #expect(!isHidden || !reader.damagedBlocks.known.isEmpty)
    }
    #expect(hidden > 10)
  }

  @Test mutating func `a clock correction skips a damaged block and marks the other samples`() async throws {
    let (store, _, _) = try await damaged(Self.monitor)
    let record = record(
      7, at: packedHour + 500, uuid: gatewayUUID(end: packedHour + 500, &generator),
      from: provenance(source: Self.monitor))
    try await store.save([record])
    try await store.save(
      clock: [
        ClockSettingRecord(id: 1, boot: "b", origin: 0, start: packedHour),
        ClockSettingRecord(id: 2, boot: "b", origin: 0, start: packedHour + 1),
      ])
    try await store.writer.write {
      try $0.execute(sql: "UPDATE clock_setting SET after_sample = 0 WHERE id = 1")
      try $0.execute(sql: "UPDATE clock_setting SET after_sample = 1000 WHERE id = 2")
    }
    let times = packedHour...packedHour + 3_000_000_000
    var changes = ClockChangesRecord()
    changes.corrections = [ClockCorrectionRecord(setting: 1, ahead: 1_000_000, times: times, shift: 1)]
    try await store.save(MonitorChangesRecord(clock: changes))
    #expect(store.damagedBlocks.known.first?.hasPrefix(Self.name) == true)
    #expect(try await store.rows().map { $0["metadata"] as Int64? } == [1])
    #expect(try await store.blockCount() == 2)
  }

  @Test mutating func `unrelated deletions succeed, and others report the damaged block`()
    async throws
  {
    let (store, lost, kept) = try await damaged()
    let late = packedHour + 500
    let row = record(7, at: late, uuid: gatewayUUID(end: late, &generator))
    try await store.save([row])
    // These samples are not in the damaged segment: a row of the same source and hour, and a sample of
    // another source.
    try await store.delete([row.uuid], savedBy: "s")
    try await store.delete([kept[5].uuid], savedBy: "z")
    try await store.packAll(but: Self.name)
    let first = SampleFilter.all([.type("t"), .startsBefore(packedHour + 10_000_000)])
    #expect(try await store.delete(first, savedBy: "z") == 9)
    let others = SampleFilter.all([first, .sources(["z"])])
    #expect(try await store.deleteMatching(others, inTransactionsOf: 5) { _ in true } == 0)
    for attempt in ["by UUID", "by time"] {
      let error = await #expect(throws: StorageError.self, "\(attempt)") {
        if attempt == "by UUID" {
          try await store.delete([lost[5].uuid], savedBy: "s")
        } else {
          _ = try await store.delete(first, savedBy: "s")
        }
      }
      guard case .damagedBlock(let text) = error else {
        Issue.record("\(attempt): \(String(describing: error))")
        continue
      }
      #expect(text.hasPrefix(Self.name))
      #expect("\(error!)".contains("hrgate store recover"))
    }
  }

  @Test func `samples keep their UUIDs when their source is renamed`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/s.sqlite"
      let store = try SampleDatabase.open(at: path)
      var identity = MeasuredIdentity(monitor: "F0:0D:BE:A7:01:01")
      let records = (0..<Int64(100)).map { place in
        let time = packedHour + place * 1_000_000
        return record(
          60, at: time, uuid: UUID(words: identity.words(ofHeartRate: 60, at: time, occurrence: 0)),
          from: provenance(source: Self.monitor))
      }
      try await store.save(records)
      try await store.packAll()
      let size = try await store.read { try Int.fetchOne($0, sql: "SELECT length(samples) FROM block") ?? 0 }
      // Each sample takes less than ten bytes, because its UUID is derived.
      #expect((1..<300).contains(size), "\(size)")
      #expect(try StoreUpkeep.check(at: path).findings == [])
      try await store.writer.write {
        try $0.execute(sql: "UPDATE source SET bundle_identifier = 'org.hrgate.monitor.F0:0D:BE:A7:01:11'")
      }
      #expect(try await store.uuids(.everything, order: [.insertion(ascending: true)]) == records.map(\.uuid))
      #expect(
        try StoreUpkeep.check(at: path).findings.map(\.text) == [
          "a block of compressed samples and its source belong to different monitors"
        ])
    }
  }

  @Test mutating func `a damaged page affects only one block`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/s.sqlite"
      var generator = SeededGenerator(seed: 3)
      let store = try SampleDatabase.open(at: path)
      for hour in 0..<3 {
        try await store.save(
          secondsOfHour(3000, from: packedHour + Int64(hour) * HourSummary.length, &generator))
      }
      try await store.packAll()
      try store.close()
      try Self.tear(path)
      let findings = try StoreUpkeep.check(at: path).findings
      #expect(findings.contains { $0.kind == .content && $0.text.hasPrefix(Self.second) }, "\(findings)")
      #expect(!findings.contains { $0.text.hasPrefix("blocks cannot") }, "\(findings)")
      let again = try SampleDatabase.open(at: path)
      let error = await #expect(throws: StorageError.self) {
        try await again.samples(.everything, order: [])
      }
      guard case .damagedBlock = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      let torn = packedHour + HourSummary.length
      let uuids = (0..<Int64(9)).map { gatewayUUID(end: torn + $0 * 1000, &generator) }
      #expect(try await again.stored(among: uuids) == [])
      #expect(again.damagedBlocks.known.first?.hasPrefix(Self.second) == true)
      let late = torn + 500
      try await again.save([record(7, at: late, uuid: gatewayUUID(end: late, &generator))])
      try again.close()
      // Another connection, which has not read the damaged segment yet, can save a sample of that hour too.
      let other = try SampleDatabase.open(at: path)
      try await other.save([record(7, at: late + 1, uuid: gatewayUUID(end: late + 1, &generator))])
      #expect(other.damagedBlocks.known.count == 1)
      try other.close()
      let recovered = try StoreUpkeep.recover(path, to: directory + "/new", .ofTests)
      #expect(recovered.lostBlocks.count == 1, "\(recovered.lostBlocks)")
      #expect(recovered.lostBlocks.first?.hasPrefix(Self.second) == true, "\(recovered.lostBlocks)")
      #expect(recovered.kept["sample"] == 6002, "\(recovered)")
    }
  }

  private static let second =
    "the compressed samples of t of 2023-11-14T23:00:00Z cannot be read: SQLite reports"

  /// Damages a page of the second segment. Its row takes ten pages. Each page starts with the number of the
  /// next one.
  private static func tear(_ path: String) throws {
    let size = SampleDatabase.pageSize
    let database = try DatabaseQueue(path: path)
    let blob = try database.inDatabase { database in
      _ = try Row.fetchAll(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
      return try Data.fetchOne(database, sql: "SELECT samples FROM block WHERE id = 2") ?? Data()
    }
    try database.close()
    var bytes = try Data(contentsOf: URL(filePath: path))
    #expect(blob.count > 4 * size)
    // Search for several short sequences, because one of them may cross a page boundary.
    let piece = try #require(
      stride(from: 2 * size, to: 3 * size, by: 512).lazy.compactMap { bytes.range(of: blob[$0..<$0 + 64]) }
        .first)
    let page = piece.lowerBound / size * size
    bytes.replaceSubrange(page..<page + 4, with: [0x7F, 0xFF, 0xFF, 0xFF])
    try bytes.write(to: URL(filePath: path))
  }
}

extension SampleDatabase {
  /// Compacts all hours, and accepts only the error about the damaged segment `name`.
  fileprivate func packAll(but name: String) async throws {
    for hour in try await packableHours(in: 0..<Int64.max / 2) {
      do {
        _ = try await packHour(hour)
      } catch StorageError.damagedBlock(let text) where text.hasPrefix(name) {
        continue
      }
    }
  }

  fileprivate func save(clock settings: [ClockSettingRecord]) async throws {
    var changes = ClockChangesRecord()
    changes.settings = settings
    try await save(MonitorChangesRecord(clock: changes))
  }
}
