public import Foundation
import HealthStorage

/// A series of heartbeats. It ends with its last beat. `HKHeartbeatSeriesQuery` reads the beats.
// @unchecked: HKObject is open. All state is `let`, Sendable or set before the object is shared.
public final class HKHeartbeatSeriesSample: HKSeriesSample, @unchecked Sendable {
  /// The encoded beats; nil if the series was read by a query that does not read beats.
  let beats: [UInt8]?

  init(count: Int, beats: [UInt8]?, _ interval: SampleInterval, _ origin: ObjectOrigin) {
    self.beats = beats
    super.init(.heartbeat(), count: count, interval, origin)
  }

  /// Decodes a series without its beats; an archive does not contain them.
  public required init?(coder: NSCoder) {
    guard HKSample.type(from: coder) == HKSeriesType.heartbeat() else { return nil }
    beats = nil
    super.init(coder: coder)
  }

  /// The beats; nil if the series was read by a query that does not read beats.
  package var heartbeats: [HKHeartbeatSeriesQueryDescriptor.Heartbeat]? {
    beats.flatMap(HeartbeatCodec.decode)?.map {
      HKHeartbeatSeriesQueryDescriptor.Heartbeat(
        timeIntervalSinceStart: $0.offset, precededByGap: $0.precededByGap)
    }
  }

  override var content: SampleRecord.Content? {
    beats.map { .heartbeatSeries(count: count, beats: $0) }
  }

  /// Creates a series with the given UUID, which can be saved like any other sample.
  /// - Parameter beats: At least one beat. Offsets are seconds since `start`, finite and not negative.
  package convenience init(
    uuid: UUID, start: Date, beats: [HKHeartbeatSeriesQueryDescriptor.Heartbeat], device: HKDevice?,
    metadata: ObjectMetadata?
  ) throws(HKValidationError) {
    guard let last = beats.map(\.timeIntervalSinceStart).max() else {
      throw HKValidationError("a heartbeat series needs a beat")
    }
    guard beats.allSatisfy({ $0.timeIntervalSinceStart >= 0 }), last.isFinite else {
      throw HKValidationError("a heartbeat must not precede its series")
    }
    let encoded = HeartbeatCodec.encode(
      beats.map { Heartbeat(offset: $0.timeIntervalSinceStart, precededByGap: $0.precededByGap) })
    self.init(
      count: beats.count, beats: encoded,
      try SampleInterval(start: start, end: start.addingTimeInterval(last), of: HKSeriesType.heartbeat()),
      ObjectOrigin(uuid: uuid, device: device, metadata: metadata))
  }
}
