import Foundation
import HealthKit

/// Times as PostgreSQL sends them in its binary formats: microseconds since 2000-01-01 00:00 UTC.
enum ServerTime {
  /// 2000-01-01 in microseconds since 1970.
  private static let epoch: Int64 = 946_684_800_000_000
  /// The first that a `timestamptz` may be, 4713-11-24 BC. The last is later than any of HealthKit's.
  private static let earliest: Int64 = -210_866_803_200_000_000

  /// Microseconds since 1970.
  static func sinceUnixEpoch(_ date: Date) throws(RecordFlaw) -> Int64 {
    guard let time = Microseconds.of(date), time >= earliest else { throw .time }
    return time
  }

  static func of(unix time: Int64) -> Int64 { time - epoch }
}
