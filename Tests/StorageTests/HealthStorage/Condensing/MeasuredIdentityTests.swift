import Foundation
import GRDB
import PackedSamples
import Testing

@testable import HealthStorage
@testable import TestSupport

/// Tests that the UUIDs of heart rates take no space in a segment, and are restored exactly.
@Suite struct MeasuredIdentityTests {
  private static let address = "F0:0D:BE:A7:07:01"
  private static let start: Int64 = 1_700_002_800_000_000

  /// Returns heart rates of a monitor at 1 Hz.
  private func heartRates(
    _ count: Int64, _ address: String = address, uuid: ((Int64, Double) -> UUID)? = nil
  ) -> [SampleRecord] {
    var identity = MeasuredIdentity(monitor: address)
    return (0..<count).map { place in
      let (time, value) = (Self.start + place * 1_000_123, Double(60 + place * 67 % 50))
      let words = identity.words(ofHeartRate: value, at: time, occurrence: 0)
      return record(
        value, at: time, uuid: uuid?(time, value) ?? UUID(words: words),
        from: provenance(source: "org.hrgate.monitor.\(address)"))
    }
  }

  private func bytes(in database: SampleDatabase) async throws -> Int {
    try await database.read { try Int.fetchOne($0, sql: "SELECT sum(length(samples)) FROM block") ?? 0 }
  }

  @Test func `it is what its documentation says, computed elsewhere`() {
    // Python: hashlib.sha256(b"\4\0" + address + b"\0" + struct.pack(">qd", time, 72)); the second with
    // struct.pack("<I", 1) at the end. These must never change, because stores contain them.
    var identity = MeasuredIdentity(monitor: Self.address)
    let time: Int64 = 1_700_000_000_123_456
    let uuids = (0..<2).map {
      UUID(words: identity.words(ofHeartRate: 72, at: time, occurrence: $0)).uuidString
    }
    #expect(uuids == ["018BCFE5-687B-8209-BA8B-64E2FCC659FB", "018BCFE5-687B-83C6-BDC1-B2846CED7B43"])
  }

  @Test func `what follows from a sample takes no room`() async throws {
    let database = try SampleDatabase.inMemory()
    let records = heartRates(3000)
    try await database.save(records)
    let before = try await database.everySample()
    try await database.packAll()
    #expect(try await database.count(of: "sample") == 0)
    // Each sample takes less than two bytes: its time and position are regular, its value has six bits, and
    // its UUID is derived.
    #expect(try await bytes(in: database) < 3000 * 2)
    #expect(try await database.everySample() == before)
    let some = [records[0], records[1717], records[2999]].map(\.uuid)
    #expect(try await database.stored(among: some + [UUID()]) == Set(some))
    try await database.unpackAll()
    #expect(try await database.everySample() == before)
  }

  @Test func `what an earlier version stored, and what is another's, keeps its own`() async throws {
    let database = try SampleDatabase.inMemory()
    var generator = SeededGenerator(seed: 4)
    // The first UUIDs are those of an earlier version, derived from the frame. The others are those of
    // another strap.
    let earlier = heartRates(500) { time, _ in gatewayUUID(end: time, &generator) }
    var other = MeasuredIdentity(monitor: "F0:0D:BE:A7:07:02")
    let foreign = heartRates(500) { time, value in
      UUID(words: other.words(ofHeartRate: value, at: time, occurrence: 0))
    }
    try await database.save(earlier + foreign + heartRates(500))
    let before = try await database.everySample()
    try await database.packAll()
    #expect(try await database.count(of: "sample") == 0)
    #expect(try await database.everySample() == before)
    #expect(try await bytes(in: database) > 1000 * 9)
  }

  @Test func `equal values of one time are told apart by their number, in any order`() async throws {
    let database = try SampleDatabase.inMemory()
    var identity = MeasuredIdentity(monitor: Self.address)
    let from = provenance(source: "org.hrgate.monitor.\(Self.address)")
    let records = [3, 0, 2, 1, 4].map { (number: UInt32) in
      let words = identity.words(ofHeartRate: 61, at: Self.start, occurrence: number)
      return record(61, at: Self.start, uuid: UUID(words: words), from: from)
    }
    try await database.save(heartRates(200).dropFirst() + records)
    let before = try await database.everySample()
    try await database.packAll()
    #expect(try await database.count(of: "sample") == 0)
    #expect(try await database.everySample() == before)
  }

  @Test func `a block whose monitor is gone is named, and not told with other identities`() async throws {
    let database = try SampleDatabase.inMemory()
    try await database.save(heartRates(100))
    // Write the segment without the monitor's address, from which its UUIDs are derived.
    for hour in try await database.packableHours(in: 0..<Int64.max / 2) {
      _ = try await database.packHour(hour) { block in
        var block = block
        block.monitor = nil
        return try block.encoded()
      }
    }
    #expect(try await database.count(of: "block") == 1)
    try await database.write { try $0.execute(sql: "UPDATE source SET bundle_identifier = 'x'") }
    let failure = await #expect(throws: StorageError.self) { try await database.everySample() }
    #expect("\(failure as Any)".contains("the compressed samples of t of"), "\(failure as Any)")
  }
}
