/// `HKSeriesType.heartbeat().identifier`.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let HKDataTypeIdentifierHeartbeatSeries = "HKDataTypeIdentifierHeartbeatSeries"

/// The type of samples that are a run of many values.
public final class HKSeriesType: HKSampleType, @unchecked Sendable {
  // @unchecked: as for HKObjectType.
  private static let heartbeatType = HKSeriesType(identifier: HKDataTypeIdentifierHeartbeatSeries)

  /// The type of `HKHeartbeatSeriesSample`.
  public class func heartbeat() -> HKSeriesType { heartbeatType }
}
