import Foundation
import GRDB
import Testing

@testable import HealthStorage

/// Tests that samples whose times come from another clock are not marked when this machine's clock was ahead.
@Suite struct RecordedSampleTests {
  @Test func `imported samples keep their times when this machine's clock is corrected`() async throws {
    let database = try SampleDatabase.inMemory()
    let monitor = provenance(source: "org.hrgate.monitor.1")
    var setting = ClockSettingRecord(id: 1, boot: "b", origin: 0, start: 0)
    try await database.save(MonitorChangesRecord(clock: ClockChangesRecord(settings: [setting])))
    _ = try await database.save([record(1, at: 1, from: monitor)])
    _ = try await database.saveNew([record(2, at: 2, from: monitor), record(3, at: 3, from: monitor)])
    _ = try await database.saveNew([record(4, at: 4, from: monitor)])
    _ = try await database.save([record(5, at: 5, from: monitor)])
    func recorded() async throws -> [Row] {
      try database.writer.read { try Row.fetchAll($0, sql: "SELECT * FROM recorded_sample") }
    }
    #expect(try await recorded() == [["first": 2, "last": 4]])
    setting.ahead = 10_000_000
    let correction = ClockCorrectionRecord(setting: 1, ahead: 10_000_000, times: 0...9, shift: 10_000_000)
    try await database.save(
      MonitorChangesRecord(clock: ClockChangesRecord(settings: [setting], corrections: [correction])))
    let marked = try await database.writer.read {
      try Double.fetchAll($0, sql: "SELECT value FROM sample WHERE metadata IS NOT NULL ORDER BY id")
    }
    #expect(marked == [1, 5])
    // Without a stored clock setting, nothing can be corrected later, so nothing is recorded.
    try await database.save(MonitorChangesRecord(clock: ClockChangesRecord(forgotten: [1])))
    #expect(try await recorded().isEmpty)
  }
}
