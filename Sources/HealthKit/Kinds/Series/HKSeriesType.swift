/// The type of samples that are a run of many values.
// @unchecked: as for HKObjectType.
public final class HKSeriesType: HKSampleType, @unchecked Sendable {
  /// The type of `HKHeartbeatSeriesSample`.
  public class func heartbeat() -> HKSeriesType { ObjectTypes.heartbeatSeries }

  /// The type of `HKWorkoutRoute`.
  public class func workoutRoute() -> HKSeriesType { ObjectTypes.workoutRoute }
}
