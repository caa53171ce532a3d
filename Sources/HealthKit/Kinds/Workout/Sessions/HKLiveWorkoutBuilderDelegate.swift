/// What a live builder tells, on a background queue.
public protocol HKLiveWorkoutBuilderDelegate: AnyObject {
  /// Samples of these types came in; the builder's statistics have them.
  func workoutBuilder(
    _ workoutBuilder: HKLiveWorkoutBuilder, didCollectDataOf collectedTypes: Set<HKSampleType>)

  /// An event of the session was added.
  func workoutBuilderDidCollectEvent(_ workoutBuilder: HKLiveWorkoutBuilder)

  func workoutBuilder(_ workoutBuilder: HKLiveWorkoutBuilder, didBegin workoutActivity: HKWorkoutActivity)

  func workoutBuilder(_ workoutBuilder: HKLiveWorkoutBuilder, didEnd workoutActivity: HKWorkoutActivity)
}

/// What a delegate need not hear of.
extension HKLiveWorkoutBuilderDelegate {
  public func workoutBuilder(
    _ workoutBuilder: HKLiveWorkoutBuilder, didBegin workoutActivity: HKWorkoutActivity
  ) {}

  public func workoutBuilder(
    _ workoutBuilder: HKLiveWorkoutBuilder, didEnd workoutActivity: HKWorkoutActivity
  ) {}
}
