import Foundation
import HealthDataSync
import HealthKit

/// A record that passed all checks, with the values that its row needs.
struct PreparedRecord {
  let record: ExternalRecord
  /// The start in microseconds since 1970.
  let start: Int64
  let end: Int64
  let placement: OriginBook.Placement

  /// Checks a record, and finds its origin row.
  ///
  /// - Throws: `RecordError`, `PostgreSQLError`.
  init(_ record: ExternalRecord, in origins: OriginBook) throws {
    self.record = record
    start = try ServerTime.sinceUnixEpoch(record.sample.startDate)
    end = try ServerTime.sinceUnixEpoch(record.sample.endDate)
    try Self.check(record)
    placement = try origins.placement(of: record.sample)
  }

  /// Checks the times in a series. The views add them to the start, and the sums must be valid times in
  /// PostgreSQL.
  private static func check(_ record: ExternalRecord) throws(RecordError) {
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

  /// Maximum offset of a beat in seconds: 10,000 years. The sum with any start is still a valid time in
  /// PostgreSQL.
  private static let longest = 3.2e11
}

/// The reason why no PostgreSQL server can store a record, so that retrying is useless.
struct RecordError: Error, Hashable {
  /// A sentence for the user, without values of the record.
  let reason: String

  static let time = RecordError(reason: "PostgreSQL does not support times before 4713 BC")
  static let text = RecordError(
    reason: "PostgreSQL does not support the character U+0000, which a text of the sample contains")
  static let offsets = RecordError(reason: "a time in the series is not finite")

  static func encoding(_ name: String) -> RecordError {
    RecordError(
      reason:
        "the database's encoding \(name) lacks a character of the sample's text: use a database with "
        + "ENCODING 'UTF8'"
    )
  }

  /// Returns the error for a text of a source, a device or metadata that the database cannot store.
  static func origin(_ error: ServerError) -> RecordError {
    RecordError(reason: "the database cannot store a text of the sample (error \(error.state))")
  }
}

/// Converts times to PostgreSQL's binary format: microseconds since 2000-01-01 00:00 UTC.
enum ServerTime {
  /// 2000-01-01 in microseconds since 1970.
  private static let epoch: Int64 = 946_684_800_000_000
  /// The earliest `timestamptz`: 4713-11-24 BC. The latest one is later than any date in HealthKit.
  private static let earliest: Int64 = -210_866_803_200_000_000

  /// Returns a date in microseconds since 1970.
  static func sinceUnixEpoch(_ date: Date) throws(RecordError) -> Int64 {
    guard let time = Microseconds.of(date), time >= earliest else { throw .time }
    return time
  }

  static func of(unix time: Int64) -> Int64 { time - epoch }
}
