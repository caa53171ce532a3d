import Foundation
import HealthKit
package import HeartRateVariability

/// A stored heartbeat series, as segments of intervals. Times are seconds since 1970.
struct BeatPart: Sendable {
  let start: Double
  let end: Double
  let source: HKSource
  let device: HKDevice?
  let sensorLocation: NSNumber?
  let segments: [RRSegment]

  /// - Returns: nil where the beats were not read with the sample.
  init?(_ sample: HKHeartbeatSeriesSample) {
    guard let segments = sample.segments else { return nil }
    start = sample.startDate.timeIntervalSince1970
    end = sample.endDate.timeIntervalSince1970
    source = sample.sourceRevision.source
    device = sample.device
    sensorLocation = sample.metadata?[HKMetadataKeyHeartRateSensorLocation] as? NSNumber
    self.segments = segments
  }
}

extension HKHeartbeatSeriesSample {
  /// The beats of a series that was read together with them, in seconds since 1970; else nil.
  package var segments: [RRSegment]? {
    heartbeats.map { beats in
      RRSegment.segments(
        start: startDate.timeIntervalSince1970,
        beats: beats.map {
          RRSegment.Beat(offset: $0.timeIntervalSinceStart, precededByGap: $0.precededByGap)
        })
    }
  }
}
