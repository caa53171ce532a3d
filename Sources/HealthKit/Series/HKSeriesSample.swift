import Foundation

/// A sample that is a run of many values.
// @unchecked: as for HKObject.
public class HKSeriesSample: HKSample, @unchecked Sendable {
  /// How many values the series holds.
  public let count: Int

  init(
    uuid: UUID, type: HKSeriesType, count: Int, interval: Interval, device: HKDevice?,
    metadata: ObjectMetadata?, revision: HKSourceRevision?
  ) {
    self.count = count
    super.init(
      uuid: uuid, type: type, interval: interval, device: device, metadata: metadata, revision: revision)
  }
}
