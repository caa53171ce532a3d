import Foundation
import GRDB

@testable import HealthStorage
@testable import TestSupport

/// The hour of UTC of the samples in tests about segments: 2023-11-14T22:00:00Z.
let packedHour: Int64 = 472_222 * HourSummary.length

/// Returns a heart rate for each second, with UUIDs of a gateway.
func secondsOfHour(
  _ count: Int, from start: Int64 = packedHour, source: String = "s", _ generator: inout SeededGenerator
) -> [SampleRecord] {
  (0..<count).map { place in
    let start = start + Int64(place) * 1_000_000
    return record(
      Double(60 + place % 50), at: start, uuid: gatewayUUID(end: start, &generator),
      from: provenance(source: source))
  }
}

extension SampleDatabase {
  /// Returns all rows of `sample`.
  func rows() async throws -> [Row] {
    try writer.read { try Row.fetchAll($0, sql: "SELECT * FROM sample ORDER BY id") }
  }

  /// Compacts each hour once.
  @discardableResult
  func packAll() async throws -> [PackedHour] {
    var outcomes: [PackedHour] = []
    for hour in try await packableHours(in: 0..<Int64.max / 2) { outcomes.append(try await packHour(hour)) }
    return outcomes
  }

  func blockCount() async throws -> Int {
    try await writer.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM block") ?? 0 }
  }

  /// Turns all segments into rows.
  func unpackAll() async throws {
    try await writer.write { try BlockUnpacking(in: $0).unpack(.always) }
  }
}
