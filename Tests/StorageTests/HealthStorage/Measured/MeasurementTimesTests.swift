import Foundation
import GRDB
import Testing

@testable import HealthStorage
@testable import TestSupport

/// Tests the time of a monitor's last measurement. It is derived from segments, and its row is written once a
/// minute.
@Suite struct MeasurementTimesTests {
  private static let address = AddressRecord(text: MeasuredMinutes.addresses[0], kind: 1)

  private func enrolled() async throws -> SampleDatabase {
    let store = try SampleDatabase.inMemory()
    try await store.enrol(MonitorRecord(address: Self.address, isBonded: false, enrolled: 1))
    return store
  }

  private func time(_ second: Int64) -> Int64 { packedHour + second * 1_000_000 + 750_000 }

  /// Saves one second of measurements, as a gateway commits them.
  private func commit(
    _ second: Int64, to store: SampleDatabase, as form: MeasuredForm = .segments
  ) async throws {
    var status = MonitorStatusRecord(address: Self.address)
    (status.lastSeen, status.lastMeasurement) = (time(second), time(second))
    var changes = MonitorChangesRecord()
    changes.statuses = [status]
    _ = try await store.save([], measured: MeasuredMinutes(1).second(second), as: form, with: changes)
  }

  private func row(_ store: SampleDatabase) async throws -> Int64? {
    try await store.read { try Int64.fetchOne($0, sql: "SELECT last_measurement FROM monitor") }
  }

  @Test func `the row is written once a minute, and queries return the time of each commit`() async throws {
    let store = try await enrolled()
    var rows: [Int64?] = []
    for second in 0..<125 as Range<Int64> {
      try await commit(second, to: store)
      let monitor = try #require(try await store.monitors().first)
      #expect(monitor.lastMeasurement == time(second) && monitor.lastSeen == time(second))
      rows.append(try await row(store))
    }
    #expect(Set(rows.compactMap(\.self)) == [time(0), time(60), time(120)])
  }

  @Test func `each commit writes the row if it stores rows, or if the status says more than the samples`()
    async throws
  {
    let store = try await enrolled()
    for second in 0..<3 as Range<Int64> {
      try await commit(second, to: store, as: .rows)
      #expect(try await row(store) == time(second))
    }
    try await commit(3, to: store)
    var status = MonitorStatusRecord(address: Self.address)
    (status.lastSeen, status.lastMeasurement) = (time(4), time(4))
    var changes = MonitorChangesRecord()
    changes.statuses = [status]
    // A frame without a heart rate has no sample, but its time counts as the time of a measurement.
    _ = try await store.save([], measured: [], as: .segments, with: changes)
    #expect(try await row(store) == time(4))
  }

  @Test func `the time is the same after a segment became rows, or was merged`() async throws {
    for isDeleted in [false, true] {
      let store = try await enrolled()
      for second in 0..<5 as Range<Int64> { try await commit(second, to: store) }
      #expect(try await row(store) == time(0))
      if isDeleted {
        let all = try await store.everySample()
        let last = try #require(all.last { $0.value ?? 0 > 50 })
        try await store.delete([last.uuid], savedBy: last.provenance.revision.source.bundleIdentifier)
        #expect(try await row(store) == time(4))
      } else {
        #expect(try await store.packAll().count == 2)
      }
      #expect(try await store.monitors().first?.lastMeasurement == time(4))
    }
  }

  @Test func `the row is written by the commit after one that failed`() async throws {
    let store = try await enrolled()
    try await commit(0, to: store)
    try await store.writer.write {
      try $0.execute(
        sql: "CREATE TRIGGER full BEFORE INSERT ON block BEGIN SELECT raise(ABORT, 'full'); END")
    }
    await #expect(throws: StorageError.self) { try await commit(61, to: store) }
    try await store.writer.write { try $0.execute(sql: "DROP TRIGGER full") }
    #expect(try await row(store) == time(0))
    try await commit(62, to: store)
    #expect(try await row(store) == time(62))
  }

  @Test func `the segments of other monitors and times do not count, and none is decoded`() async throws {
    let store = try await enrolled()
    let away = AddressRecord(text: MeasuredMinutes.addresses[7], kind: 1)
    try await store.enrol(MonitorRecord(address: away, isBonded: false, enrolled: 2))
    for second in 0..<9 as Range<Int64> { try await commit(second, to: store) }
    let past = packedHour - 86_400_000_000
    try await store.write {
      try $0.execute(
        sql: "UPDATE monitor SET last_measurement = ? WHERE address = ?", arguments: [past, away.text])
    }
    // Save measurements of a later time, as from a recording.
    _ = try await store.save([], measured: MeasuredMinutes(1).second(500), as: .segments)
    let (reads, monitors) = try await store.blockReads { try await store.monitors() }
    #expect(monitors.map(\.lastMeasurement) == [time(8), past])
    #expect(reads == 0)
  }
}
