public import Foundation

/// The way of a workout, as a series of places. Only a route builder makes one.
// @unchecked: as for HKObject.
open class HKWorkoutRoute: HKSeriesSample, @unchecked Sendable {
  init(count: Int, _ interval: SampleInterval, _ origin: ObjectOrigin) {
    super.init(.workoutRoute(), count: count, interval, origin)
  }

  public required init?(coder: NSCoder) {
    guard HKSample.type(from: coder) == HKSeriesType.workoutRoute() else { return nil }
    super.init(coder: coder)
  }
}
