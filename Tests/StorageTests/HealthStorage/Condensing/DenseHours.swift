import Foundation
import GRDB

@testable import HealthStorage
@testable import TestSupport

/// Samples like a gateway's, with enough of them in each hour to be compacted.
enum DenseHours {
  static let length = HourSummary.length
  static let origin = packedHour

  /// - Parameters:
  ///   - hours: numbers of hours since `origin`.
  ///   - offset: the offset of the first sample in each hour, in microseconds.
  static func records(
    _ hours: Range<Int64>, each count: Int64 = 80, offset: Int64 = 0, source: String = "s",
    seed: UInt64 = 1
  ) -> [SampleRecord] {
    var generator = SeededGenerator(seed: seed)
    return hours.flatMap { hour in
      (0..<count).map { place in
        let start = origin + hour * length + offset + place * (length / count) / 2
        return record(
          Double(Int.random(in: 40...200, using: &generator)), at: start,
          uuid: gatewayUUID(end: start, &generator), from: provenance(source: source))
      }
    }
  }

  /// The time at which `hours` are finished and no later hour is.
  static func after(_ hours: Int64) -> Int64 { origin + hours * length + Compactor.lateness }
}

extension SampleDatabase {
  /// Returns all values of all samples in the order of the change log.
  func everySample() async throws -> [SampleRecord] {
    try await samples(.everything, order: [.insertion(ascending: true)])
  }

  func count(of table: String) async throws -> Int {
    try await read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") ?? 0 }
  }

  /// Runs all steps of one compaction.
  func condense(_ compactor: inout Compactor, at now: Int64) async throws -> CompactionTally {
    var tally = CompactionTally()
    try await compactor.look()
    while let step = try await compactor.step(at: now) { tally.add(step) }
    return tally
  }
}
