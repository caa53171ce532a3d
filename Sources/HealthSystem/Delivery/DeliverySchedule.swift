import HealthKit
import HealthStorage

/// When an application is started for a type of which something changed.
///
/// Not more often than it asked for. After a start that it did not acknowledge, the next waits a minute, and
/// twice as long after each further one. After three it is not started, until it acknowledges again.
struct DeliverySchedule: Sendable {
  static let greatestMisses = 3
  private static let firstPause: Int64 = 60_000_000

  private let delivered: Int64?
  private let frequency: HKUpdateFrequency
  private let misses: Int

  init(_ record: DeliveryRecord) {
    delivered = record.delivered
    frequency = HKUpdateFrequency(rawValue: record.frequency) ?? .weekly
    misses = record.misses
  }

  /// The earliest time, in microseconds since 1970; nil for never.
  /// - Parameter now: no start was later than this, whatever the clock said then.
  func next(at now: Int64) -> Int64? {
    guard misses < Self.greatestMisses else { return nil }
    guard let delivered else { return 0 }
    let pause = misses > 0 ? Self.firstPause << (misses - 1) : 0
    return min(delivered, now) + max(period, pause)
  }

  private var period: Int64 {
    let hour: Int64 = 3_600_000_000
    return switch frequency {
    case .immediate: 0
    case .hourly: hour
    case .daily: 24 * hour
    case .weekly: 7 * 24 * hour
    }
  }
}
