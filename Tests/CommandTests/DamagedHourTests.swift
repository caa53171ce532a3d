import Foundation
import HealthKit
import HealthStorage
import HealthSystem
import Testing

@testable import TestSupport

/// Runs commands on a store with one damaged compacted hour.
@Suite struct DamagedHourTests {
  private let folder: TemporaryFolder
  private let store: String

  init() async throws {
    folder = try TemporaryFolder()
    store = folder.path("s.sqlite")
    let log = folder.path("strap.btsnoop")
    for (start, name) in [("2026-01-01T10:10:00Z", log), ("2026-01-01T11:10:00Z", log)] {
      let made = try Command.hrgate("simulate", "--duration", "5m", "--start", start, "-o", name)
      #expect(made.status == 0, "\(made)")
      #expect(try Command.hrgate("replay", name, "--store", store).status == 0)
      try FileManager.default.removeItem(atPath: name)
    }
    #expect(try Command.hrgate("store", "condense", "--store", store).status == 0)
  }

  /// Changes one byte of the first compacted segment of heart rates.
  private func damage() throws {
    let type = "(SELECT id FROM object_type WHERE identifier = 'HKQuantityTypeIdentifierHeartRate')"
    let id = "(SELECT id FROM block WHERE type = \(type) ORDER BY start LIMIT 1)"
    let found = try Command.tool("sqlite3", [store, "SELECT hex(samples) FROM block WHERE id = \(id)"]).output
    var digits = Array(found.trimmingCharacters(in: .whitespacesAndNewlines))
    #expect(digits.count > 100)
    digits[60] = digits[60] == "0" ? "1" : "0"
    let update = "UPDATE block SET samples = x'\(String(digits))' WHERE id = \(id)"
    #expect(try Command.tool("sqlite3", [store, update]).status == 0)
  }

  private func hrgate(_ arguments: String...) throws -> CommandResult {
    try Command.hrgate(arguments + ["--store", store])
  }

  @Test func `the other hours are printed, the damaged one is named once, and the exit status is 1`() throws {
    let whole = try Samples(store: store)
    let later = whole.startTimes.filter { $0 >= "2026-01-01T11" }
    #expect(later.count > 100 && later.count < whole.startTimes.count)
    try damage()
    let samples = try hrgate("samples", "--type", "heartRate", "--json")
    #expect(try samples.objects().compactMap { $0["start"] as? String } == later)
    let stats = try hrgate("stats", "--json")
    #expect(try stats.objects().first?["count"] as? Int == later.count)
    let last = try hrgate("samples", "--last")
    let export = try hrgate("export", "--format", "csv", "-o", folder.path("all.csv"))
    for result in [samples, stats, export] {
      #expect(result.status == 1, "\(result.errors)")
      let lines = result.errors.split(separator: "\n").filter { $0.contains("2026-01-01T10:00:00Z") }
      #expect(lines.count == 1 && lines[0].contains("hrgate store check"), "\(result.errors)")
    }
    #expect(last.output.contains("HeartRate"))
    // Commands that do not read the damaged hour are not affected.
    let other = try hrgate("samples", "--type", "heartRate", "--from", "2026-01-01T11:00:00Z", "--json")
    #expect(other.status == 0 && other.errors.isEmpty)
    #expect(try other.objects().count == later.count)
  }

  @Test func `a damaged heartbeat series is skipped and named, not printed without beats`() throws {
    let update =
      "UPDATE heartbeat_series SET beats = x'01' WHERE sample = (SELECT min(sample) FROM heartbeat_series)"
    let whole = try hrgate("samples", "--type", "heartbeatSeries", "--json")
    #expect(whole.status == 0)
    #expect(try Command.tool("sqlite3", [store, update]).status == 0)
    for arguments in [["samples", "--type", "heartbeatSeries", "--json"], ["hrv"]] {
      let result = try Command.hrgate(arguments + ["--store", store])
      #expect(
        result.status == 1 && result.errors.contains("HeartbeatSeries of 2026-01-01T10:00:00Z"), "\(result)")
      #expect(arguments[0] == "hrv" || result.lines.count == whole.lines.count - 1)
    }
  }

  @Test func `a sample in the damaged hour can be added and deleted`() throws {
    try damage()
    let added = try hrgate("add", "heartRate", "61", "--at", "2026-01-01T10:20:00Z")
    #expect(added.status == 0, "\(added)")
    let uuid = added.output.trimmingCharacters(in: .newlines)
    let deleted = try hrgate("delete", "--uuid", uuid, "--yes")
    #expect(deleted.output.contains("deleted: 1 sample"), "\(deleted)")
    #expect(
      try hrgate("samples", "--type", "heartRate", "--json").objects().allSatisfy {
        $0["uuid"] as? String != uuid
      })
  }
}
