import Foundation
import GRDB
import PackedSamples
import Testing

@testable import HealthStorage
@testable import TestSupport

/// What monitors measured is the same samples, however it is stored.
@Suite struct MeasuredSavingTests {
  private static let forms: [MeasuredForm] = [.rows, .batch, .blocks]

  @Test func `what a commit brings is one row, and its samples are those that rows would be`() async throws {
    let (rows, batches) = (try SampleDatabase.inMemory(), try SampleDatabase.inMemory())
    try await rows.saveMeasured(1..<31, as: .rows)
    try await batches.saveMeasured(1..<31)
    #expect(try await batches.count(of: "batch") == 30)
    #expect(try await batches.count(of: "sample") == 0)
    let all = try await rows.everySample()
    #expect(all.count == 30 * 33)
    #expect(try await batches.everySample() == all)
    #expect(try await batches.stored(among: all.map(\.uuid)).count == all.count)
    #expect(try await batches.inventory().map(\.count) == rows.inventory().map(\.count))
    #expect(try await batches.lastChange() == rows.lastChange())
  }

  @Test(arguments: forms)
  func `what is measured again is stored once, and counted`(form: MeasuredForm) async throws {
    for again in Self.forms {
      let store = try SampleDatabase.inMemory()
      let minutes = MeasuredMinutes(2)
      try await store.saveMeasured(0..<90, of: minutes, as: form)
      let before = try await store.everySample()
      // The last seconds of it, and one more.
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

  @Test func `what an earlier version stored under another identity is not stored again`() async throws {
    for form in Self.forms {
      let store = try SampleDatabase.inMemory()
      var generator = SeededGenerator(seed: 9)
      let source = provenance(source: "org.hrgate.monitor.a")
      let kind = MeasuredKind(type: "t", unit: "u", provenance: source, metadata: nil, monitor: "a")
      let earlier = gatewayUUID(end: packedHour, &generator)
      try await store.save([record(61, at: packedHour, uuid: earlier, from: source)])
      var measured = MeasuredQuantities(kind)
      measured.append(heartRate: 61, at: packedHour, occurrence: 0, earlier: earlier)
      measured.append(heartRate: 62, at: packedHour, occurrence: 0, earlier: gatewayUUID(end: 0, &generator))
      measured.append(heartRate: 63, at: packedHour + 9, occurrence: 0)
      #expect(try await store.unsaved(of: [measured]).map(\.values) == [[62, 63]])
      #expect(try await store.save([], measured: [measured], as: form).measured.map(\.stored) == [2])
      #expect(try await store.unsaved(of: [measured]).map(\.values) == [[]])
      #expect(try await store.everySample().map(\.value) == [61, 62, 63])
    }
  }

  @Test func `a commit over the end of an hour is a row of each, and what reaches over it one by itself`()
    async throws
  {
    let store = try SampleDatabase.inMemory()
    let kind = MeasuredKind(
      type: "t", unit: "u", provenance: provenance(source: "org.hrgate.monitor.a"), metadata: nil,
      monitor: "a")
    let end = packedHour + HourSummary.length
    var rates = MeasuredQuantities(kind)
    for time in [end - 2, end - 1, end, end + 1] { rates.append(heartRate: 60, at: time, occurrence: 0) }
    var generator = SeededGenerator(seed: 1)
    var energy = MeasuredQuantities(
      MeasuredKind(type: "e", unit: "kJ", provenance: kind.provenance, metadata: nil, monitor: "a"))
    energy.append(1, from: end - 5, to: end + 5, uuid: gatewayUUID(end: end + 5, &generator))
    _ = try await store.save([], measured: [rates, energy], as: .batch)
    #expect(try await store.count(of: "batch") == 2)
    #expect(try await store.count(of: "sample") == 1)
    #expect(try await store.everySample().map(\.start) == [end - 2, end - 1, end, end + 1, end - 5])
    #expect(try await store.samples(.startsFrom(end), order: []).count == 2)
  }

  @Test func `very much at once goes into blocks`() async throws {
    let store = try SampleDatabase.inMemory()
    let kind = MeasuredKind(
      type: "t", unit: "u", provenance: provenance(source: "org.hrgate.monitor.a"), metadata: nil,
      monitor: "a")
    var rates = MeasuredQuantities(kind)
    for place in 0..<5000 as Range<Int64> {
      rates.append(heartRate: Double(60 + place % 7), at: packedHour + place * 500_000, occurrence: 0)
    }
    _ = try await store.save([], measured: [rates], as: .batch)
    #expect(try await store.count(of: "batch") == 0)
    #expect(try await store.blockCount() == 2)
    #expect(try await store.everySample().map(\.start) == rates.starts)
  }

  // MARK: - When the hour is over

  @Test func `batches become blocks of their hour, and what is little becomes rows`() async throws {
    let store = try SampleDatabase.inMemory()
    try await store.saveMeasured(1..<41)
    let before = try await store.everySample()
    var condenser = Condenser(store)
    let early = packedHour + HourSummary.length + Condenser.lateness - 1
    #expect(try await store.condense(&condenser, at: early).rows == 0)
    let tally = try await store.condense(&condenser, at: early + 1)
    #expect(tally.rows == before.count && tally.left == 0)
    #expect(try await store.count(of: "batch") == 0)
    #expect(try await store.blockCount() == 8)
    // Forty energies are no block.
    #expect(try await store.count(of: "sample") == 40)
    #expect(try await store.everySample() == before)
    #expect(try await store.inventory().map(\.count).reduce(0, +) == before.count)
    // What comes late goes into the blocks, once they are looked at again.
    try await store.saveMeasured(50..<60)
    let all = try await store.everySample()
    _ = try await store.condense(&condenser, at: early + 1)
    #expect(try await store.blockCount() == 8)
    #expect(try await store.count(of: "batch") == 0)
    #expect(try await store.everySample() == all)
  }

  @Test func `what does not read as it was stays as it was`() async throws {
    let store = try SampleDatabase.inMemory()
    try await store.saveMeasured(1..<41)
    let before = try await store.everySample()
    let outcome = try await store.packBatches(in: packedHour) { block in
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
    #expect(try await store.count(of: "batch") == 40)
    #expect(try await store.blockCount() == 0)
    #expect(try await store.everySample() == before)
  }

  @Test func `a sample of a batch is deleted, and the others stay themselves`() async throws {
    let store = try SampleDatabase.inMemory()
    try await store.saveMeasured(1..<4)
    let before = try await store.everySample()
    let victim = before[40]
    try await store.delete([victim.uuid], savedBy: victim.provenance.revision.source.bundleIdentifier)
    #expect(try await store.everySample() == before.filter { $0.uuid != victim.uuid })
    #expect(try await store.count(of: "batch") == 2)
  }

  // MARK: - Damage

  private static let damage = "what was stored together in 2023-11-14T22:00:00Z cannot be read: "

  @Test func `a batch that cannot be read is told by whoever asks for it, and holds up nothing else`()
    async throws
  {
    let store = try SampleDatabase.inMemory()
    let minutes = MeasuredMinutes()
    try await store.saveMeasured(1..<41, of: minutes)
    try await store.damageBatches("start < \(packedHour + 1_000_000)")
    let error = await #expect(throws: StorageError.self) { try await store.everySample() }
    guard case .damagedBlock(let text) = error else {
      return #expect(Bool(false), "\(String(describing: error))")
    }
    #expect(text.hasPrefix(Self.damage), "\(text)")
    #expect(try await store.samples(.startsFrom(packedHour + 3_000_000), order: []).count == 38 * 32 + 37)
    // What is measured is stored; what a recording holds of the damaged second is stored anew.
    try await store.saveMeasured(60..<61, of: minutes)
    let anew = try await store.save([], measured: minutes.second(1), as: .blocks).measured
    #expect(anew.map(\.stored).reduce(0, +) == 33)
    #expect(store.damagedBlocks.known.count == 1)
    // All others of the hour become blocks.
    var condenser = Condenser(store)
    let late = packedHour + HourSummary.length + Condenser.lateness
    #expect(try await store.condense(&condenser, at: late).rows >= 39 * 33)
    #expect(try await store.count(of: "batch") == 1)
  }

  @Test(arguments: [
    "UPDATE batch SET samples = x'' WHERE id = 33", "UPDATE batch SET count = 9 WHERE id = 33",
    "UPDATE batch SET first_change = 5 WHERE id = 33", "UPDATE batch SET end = end - 9 WHERE id = 33",
    "UPDATE batch SET id = 900 WHERE id = 33", "UPDATE batch SET id = -33 WHERE id = 33",
    "UPDATE batch SET id = -9223372036854775808 WHERE id = 33", "INSERT INTO sample_count VALUES (1, 1, 1)",
    "DELETE FROM metadata", "DELETE FROM unit", "DELETE FROM provenance",
    "UPDATE sqlite_sequence SET seq = 40 WHERE name = 'sample'",
    "UPDATE batch SET samples = CAST(substr(samples, 1, 50) || x'ff' || substr(samples, 52) AS BLOB)",
  ])
  func `damage is found`(sql: String) async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/s.sqlite"
      let store = try SampleDatabase.open(at: path)
      try await store.saveMeasured(1..<4)
      #expect(try StoreUpkeep.check(at: path).findings == [])
      #expect(try StoreUpkeep.check(at: path).size?.samples == 99)
      try await store.writer.write { try $0.execute(sql: sql) }
      #expect(try StoreUpkeep.check(at: path).findings.count > 0)
    }
  }

  @Test func `recovery carries each sample of the batches that can be read, and says what is lost`()
    async throws
  {
    try await withTemporaryDirectory { directory in
      let path = directory + "/s.sqlite"
      let store = try SampleDatabase.open(at: path)
      try await store.saveMeasured(1..<11)
      let before = try await store.samples(.startsFrom(packedHour + 3_000_000), order: [])
      try await store.damageBatches("id = 66")
      try store.close()
      let recovered = try StoreUpkeep.recover(path, to: directory + "/new", .ofTests)
      #expect(recovered.lostBlocks == [Self.damage + "the block is truncated"])
      #expect(try StoreUpkeep.check(at: directory + "/new").findings == [])
      let new = try SampleDatabase.open(at: directory + "/new")
      #expect(try await new.samples(.startsFrom(packedHour + 3_000_000), order: []) == before)
      #expect(try await new.everySample().count == 9 * 33)
    }
  }

  @Test(arguments: ["-5", "0", "-9223372036854775808", "9223372036854775807"])
  func `a block or a batch whose number is none is left out, and all else is carried`(id: String) async throws
  {
    for table in ["block", "batch"] {
      try await withTemporaryDirectory { directory in
        let path = directory + "/s.sqlite"
        let store = try SampleDatabase.open(at: path)
        try await store.saveMeasured(1..<21)
        if table == "block" { _ = try await store.packBatches(in: packedHour) }
        let first = "(SELECT min(id) FROM \(table))"
        try await store.write { try $0.execute(sql: "UPDATE \(table) SET id = \(id) WHERE id = \(first)") }
        try store.close()
        #expect(try !StoreUpkeep.check(at: path).findings.isEmpty)
        let recovered = try StoreUpkeep.recover(path, to: directory + "/new", .ofTests)
        #expect(recovered.dropped[table] == 1)
        #expect(try StoreUpkeep.check(at: directory + "/new").findings == [])
        let left = try await SampleDatabase.open(at: directory + "/new").everySample()
        #expect(left.count == 20 * 33 - (table == "block" ? 80 : 33))
      }
    }
  }

  @Test func `a batch that reaches over an hour is damaged`() async throws {
    let store = try SampleDatabase.inMemory()
    let minutes = MeasuredMinutes(1)
    try await store.saveMeasured(1..<2, of: minutes)
    try await store.saveMeasured(7210..<7211, of: minutes)
    try await store.write { database in
      let rows = try Row.fetchAll(
        database, sql: "SELECT id, first_change, start, samples FROM batch ORDER BY id")
      let parts = try rows.flatMap { try PackedBatch(Array($0[3] as Data)).parts }
      try database.execute(
        sql: "UPDATE batch SET first_change = ?, start = ?, count = 10, samples = ? WHERE id = ?",
        arguments: [rows[0][1], rows[0][2], Data(PackedBatch.bytes(of: parts)), rows[1][0]])
      try database.execute(sql: "DELETE FROM batch WHERE id = ?", arguments: [rows[0][0]])
    }
    let error = await #expect(throws: StorageError.self) { try await store.everySample() }
    #expect("\(String(describing: error))".contains("not of one hour"), "\(String(describing: error))")
  }

  @Test func `a damaged block of an hour holds up none of its batches`() async throws {
    let store = try SampleDatabase.inMemory()
    let minutes = MeasuredMinutes(1)
    try await store.saveMeasured(1..<41, of: minutes)
    _ = try await store.packBatches(in: packedHour)
    try await store.damageBlocks("type = (SELECT id FROM object_type WHERE identifier = 't')")
    try await store.saveMeasured(50..<90, of: minutes)
    var condenser = Condenser(store)
    let late = packedHour + HourSummary.length + Condenser.lateness
    let tally = try await store.condense(&condenser, at: late)
    // The energies were too few, twice, and are enough together.
    #expect(tally.rows == 40 * 5 + 80, "\(tally)")
    #expect(try await store.count(of: "batch") == 0)
    #expect(store.damagedBlocks.known.count == 1)
  }

  @Test func `what was taken apart is packed with its hour`() async throws {
    let store = try SampleDatabase.inMemory()
    try await store.saveMeasured(1..<41)
    let all = try await store.everySample()
    let one = try #require(all.last { $0.value ?? 0 > 50 })
    try await store.delete([one.uuid], savedBy: one.provenance.revision.source.bundleIdentifier)
    #expect(try await store.count(of: "sample") == 32)
    var condenser = Condenser(store)
    _ = try await store.condense(&condenser, at: packedHour + HourSummary.length + Condenser.lateness)
    // The energies are too few for a block.
    #expect(try await store.count(of: "sample") == 40)
    #expect(try await store.everySample() == all.filter { $0.uuid != one.uuid })
  }

  @Test func `who asks for the newest sample has one batch read`() async throws {
    let store = try SampleDatabase.inMemory()
    try await store.saveMeasured(100..<200)
    let all = try await store.samples(.type("t"), order: [.start(ascending: false)])
    // It came late.
    try await store.saveMeasured(20..<40)
    let (reads, found) = try await store.blockReads {
      try await store.samples(.type("t"), order: [.start(ascending: false)], limit: 3)
    }
    #expect(found == Array(all.prefix(3)))
    #expect(reads == 1)
  }

  @Test func `a store that knows blocks and no batches is checked as it is`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/s.sqlite"
      let store = try SampleDatabase.open(at: path)
      try await store.saveMeasured(1..<21)
      _ = try await store.packBatches(in: packedHour)
      try await store.write {
        try $0.execute(sql: "DROP TABLE batch; DELETE FROM grdb_migrations WHERE identifier = '14'")
      }
      #expect(try StoreUpkeep.check(at: path).findings == [])
      try await store.damageBlocks("id = (SELECT min(id) FROM block)")
      #expect(try StoreUpkeep.check(at: path).findings.count == 1)
    }
  }

  @Test func `what batches refer to is not dropped`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/s.sqlite"
      let store = try SampleDatabase.open(at: path)
      try await store.saveMeasured(1..<4)
      let before = try await store.everySample()
      try store.close()
      _ = try StoreUpkeep.vacuum(path)
      #expect(try await SampleDatabase.open(at: path).everySample() == before)
      let damaged = try SampleDatabase.open(at: path)
      try await damaged.damageBatches("id = 66")
      try damaged.close()
      // What it referred to nobody knows: nothing is dropped.
      _ = try StoreUpkeep.vacuum(path)
      #expect(try await SampleDatabase.open(at: path).count(of: "metadata") == 8)
    }
  }
}
