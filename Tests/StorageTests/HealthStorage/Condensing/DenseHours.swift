import Foundation
import GRDB

@testable import HealthStorage
@testable import TestSupport

/// Samples of a gateway's, so dense that blocks pay.
enum DenseHours {
  static let length = HourSummary.length
  static let origin = packedHour

  /// - Parameters:
  ///   - hours: counted from `origin` on.
  ///   - offset: of the first of each hour, in microseconds.
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

  /// When `hours` are over, and no later one is.
  static func after(_ hours: Int64) -> Int64 { origin + hours * length + Condenser.lateness }
}

extension SampleDatabase {
  /// All that can be told of every sample, in the order of the change log.
  func everySample() async throws -> [SampleRecord] {
    try await samples(.everything, order: [.insertion(ascending: true)])
  }

  func count(of table: String) async throws -> Int {
    try await read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") ?? 0 }
  }

  /// Takes the steps of one look.
  func condense(_ condenser: inout Condenser, at now: Int64) async throws -> CondensingTally {
    var tally = CondensingTally()
    try await condenser.look()
    while let step = try await condenser.step(at: now) { tally.add(step) }
    return tally
  }
}
