import Foundation
import HealthKit
package import HeartRateVariability

/// A stored heartbeat series, converted to RR intervals. A gap in the series starts a new segment. Times are
/// in seconds since 1970.
struct BeatPart: Sendable {
  let start: Double
  let end: Double
  let source: HKSource
  let device: HKDevice?
  let sensorLocation: NSNumber?
  let segments: [RRSegment]

  /// Converts a heartbeat series, or returns nil if the sample was read without its beats.
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
  /// The RR intervals, split into segments at gaps, with times in seconds since 1970. Nil if the sample was
  /// read without its beats.
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
