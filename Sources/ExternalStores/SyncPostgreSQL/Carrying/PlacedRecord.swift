import Foundation
import HealthDataSync
import HealthKit

/// A record that PostgreSQL takes as far as is known, with what its row needs.
struct PlacedRecord {
  let record: ExternalRecord
  /// Microseconds since 1970.
  let start: Int64
  let end: Int64
  let placement: OriginBook.Placement

  /// - Throws: `RecordFlaw`, `DatabaseFailure`.
  init(_ record: ExternalRecord, in origins: OriginBook) throws {
    self.record = record
    start = try ServerTime.sinceUnixEpoch(record.sample.startDate)
    end = try ServerTime.sinceUnixEpoch(record.sample.endDate)
    try Self.check(record)
    placement = try origins.placement(of: record.sample)
  }

  /// The views add a series' offsets to its start.
  private static func check(_ record: ExternalRecord) throws(RecordFlaw) {
    switch record.series {
    case .none: return
    case .heartbeats(let beats):
      guard beats.allSatisfy({ abs($0.timeSinceStart) < longest }) else { throw .offsets }
    case .quantities(let quantities):
      for quantity in quantities {
        _ = try ServerTime.sinceUnixEpoch(quantity.interval.start)
        _ = try ServerTime.sinceUnixEpoch(quantity.interval.end)
      }
    }
  }

  /// Ten thousand years, in seconds: a time that far from any start is still one that PostgreSQL has.
  private static let longest = 3.2e11
}
