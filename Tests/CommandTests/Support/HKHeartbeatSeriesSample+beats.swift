import Foundation
import HealthKit

extension HKHeartbeatSeriesSample {
  /// Returns a series with a beat at the start and one at the end of each interval, like the beats of a
  /// strap.
  ///
  /// - Parameters:
  ///   - ticks: The intervals in ticks of 1/1024 s. None spans a gap.
  ///   - start: Seconds since 1970.
  static func beats(_ ticks: [Int], at start: Double) throws -> HKHeartbeatSeriesSample {
    let offsets = ticks.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1) }
    return try HKHeartbeatSeriesSample(
      uuid: UUID(), start: Date(timeIntervalSince1970: start),
      beats: offsets.enumerated().map {
        HKHeartbeatSeriesQueryDescriptor.Heartbeat(
          timeIntervalSinceStart: Double($1) / 1024, precededByGap: $0 == 0)
      }, device: nil, metadata: nil)
  }
}
