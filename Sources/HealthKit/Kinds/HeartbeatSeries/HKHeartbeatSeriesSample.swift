public import Foundation
import HealthStorage

/// A run of heartbeats. It starts with the series and ends with the last beat; `HKHeartbeatSeriesQuery` reads
/// the beats.
// @unchecked: as for HKObject.
public final class HKHeartbeatSeriesSample: HKSeriesSample, @unchecked Sendable {
  /// The beats of a series that is not stored yet; a query leaves them in the store.
  let beats: [UInt8]?

  init(count: Int, beats: [UInt8]?, _ interval: SampleInterval, _ origin: ObjectOrigin) {
    self.beats = beats
    super.init(.heartbeat(), count: count, interval, origin)
  }

  /// An archive has the series without its beats, which are the store's.
  public required init?(coder: NSCoder) {
    guard HKSample.type(from: coder) == HKSeriesType.heartbeat() else { return nil }
    beats = nil
    super.init(coder: coder)
  }

  /// The beats of a series that was read together with them, or is not stored yet; else `nil`.
  package var heartbeats: [HKHeartbeatSeriesQueryDescriptor.Heartbeat]? {
    beats.flatMap(HeartbeatCodec.decode)?.map {
      HKHeartbeatSeriesQueryDescriptor.Heartbeat(
        timeIntervalSinceStart: $0.offset, precededByGap: $0.precededByGap)
    }
  }

  override var content: SampleRecord.Content? {
    beats.map { .heartbeatSeries(count: count, beats: $0) }
  }

  /// A whole series with a UUID of the caller's, to be saved like any sample.
  /// - Parameter beats: at least one; seconds since `start`, each finite and not negative.
  package convenience init(
    uuid: UUID, start: Date, beats: [HKHeartbeatSeriesQueryDescriptor.Heartbeat], device: HKDevice?,
    metadata: ObjectMetadata?
  ) throws(HKValidationError) {
    guard let last = beats.map(\.timeIntervalSinceStart).max() else {
      throw HKValidationError("a heartbeat series needs a beat")
    }
    guard beats.allSatisfy({ $0.timeIntervalSinceStart >= 0 }), last.isFinite else {
      throw HKValidationError("a heartbeat must not lie before its series")
    }
    let encoded = HeartbeatCodec.encode(
      beats.map { Heartbeat(offset: $0.timeIntervalSinceStart, precededByGap: $0.precededByGap) })
    self.init(
      count: beats.count, beats: encoded,
      try SampleInterval(start: start, end: start.addingTimeInterval(last), of: HKSeriesType.heartbeat()),
      ObjectOrigin(uuid: uuid, device: device, metadata: metadata))
  }
}
