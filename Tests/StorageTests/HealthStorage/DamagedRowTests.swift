import Foundation
import GRDB
import Testing

@testable import HealthStorage

/// Tests a file that another program has modified. Invalid values are errors, never traps, and no error
/// contains a value.
@Suite struct DamagedRowTests {
  private func database(
    _ sample: SampleRecord, _ damage: String
  ) async throws -> SampleDatabase {
    let database = try SampleDatabase.inMemory()
    _ = try await database.save([sample])
    try await database.writer.write { try $0.execute(sql: damage) }
    return database
  }

  private func expectCorrupt(_ body: () async throws -> Void) async {
    let error = await #expect(throws: StorageError.self) { try await body() }
    guard case .sqlite("SQLITE_CORRUPT", let message) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(!message.contains("4711"))
  }

  private func sample(_ content: SampleRecord.Content) -> SampleRecord {
    SampleRecord(uuid: UUID(), type: "c", start: 4711, end: 4711, provenance: provenance(), content: content)
  }

  @Test func aQuantityWithoutAValue() async throws {
    let database = try await database(record(1, at: 4711), "UPDATE sample SET value = NULL")
    await expectCorrupt { _ = try await database.samples(.everything, order: []) }
    await expectCorrupt {
      _ = try await database.quantities(
        .everything, .quantity, after: nil, size: 10, includingSamples: false)
    }
  }

  @Test func aQuantityWithoutAValueInAContainer() async throws {
    let database = try SampleDatabase.inMemory()
    let container = sample(.archive([1]))
    let member = record(1, at: 4711)
    try await database.save(
      [container, member], associating: [member.uuid], with: container.uuid, ofType: container.type)
    try await database.writer.write {
      try $0.execute(sql: "UPDATE sample SET value = NULL WHERE unit IS NOT NULL")
    }
    await expectCorrupt { _ = try await database.samples(.type("c"), order: []) }
  }

  @Test func `damaged metadata stays unmarked, and others are marked`() async throws {
    let database = try SampleDatabase.inMemory()
    var setting = ClockSettingRecord(id: 1, boot: "b", origin: 0, start: 0)
    try await database.save(MonitorChangesRecord(clock: ClockChangesRecord(settings: [setting])))
    let monitor = provenance(source: "org.hrgate.monitor.1")
    let names = ["a", "b"].map { EncodedMetadata([$0: .double(1)]) }
    _ = try await database.save([
      record(1, at: 1, from: monitor, metadata: names[0]),
      record(2, at: 2, from: monitor, metadata: names[1]),
    ])
    try await database.writer.write {
      try $0.execute(sql: "UPDATE metadata SET encoded = x'FF' WHERE id = 1")
    }
    setting.ahead = 10_000_000
    let correction = ClockCorrectionRecord(setting: 1, ahead: 10_000_000, times: 0...9, shift: 10_000_000)
    let next = ClockSettingRecord(id: 2, boot: "b", origin: -10_000_000, start: 9)
    try await database.save(
      MonitorChangesRecord(clock: ClockChangesRecord(settings: [setting, next], corrections: [correction])))
    #expect(try await database.clockSettings().map(\.ahead) == [10_000_000, 0])
    let rows = try await database.writer.read { database in
      try Data.fetchAll(
        database,
        sql: "SELECT encoded FROM sample JOIN metadata ON metadata.id = sample.metadata ORDER BY sample.id")
    }
    #expect(rows.first == Data([0xFF]))
    let marked = try EncodedMetadata(decoding: Array(rows.last ?? Data())).values
    #expect(marked == ["b": .double(1), SampleDatabase.clockAheadKey: .double(10)])
  }

  @Test func `a correlation that contains itself`() async throws {
    let database = try await database(
      sample(.correlation([record(1, at: 1)])),
      "INSERT INTO membership (container, member) SELECT container, container FROM membership")
    await expectCorrupt { _ = try await database.samples(.type("c"), order: []) }
  }

  @Test(arguments: ["1e300", "-1e300", "0.5"])
  func `a category with an invalid value`(value: String) async throws {
    let database = try await database(sample(.category(1)), "UPDATE sample SET value = \(value)")
    await expectCorrupt { _ = try await database.samples(.everything, order: []) }
  }

  @Test func `an invalid process ID`() async throws {
    let database = try SampleDatabase.inMemory()
    try await database.enter(
      RunningProcess(process: 1, started: "1"),
      of: ApplicationRecord(bundleIdentifier: "a", name: "a"), gone: [])
    try await database.writer.write {
      try $0.execute(sql: "UPDATE running_application SET process = 99999999999")
    }
    await expectCorrupt { _ = try await database.processes(of: "a") }
  }
}
