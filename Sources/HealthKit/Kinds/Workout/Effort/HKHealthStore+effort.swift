import Foundation
import HealthStorage

extension HKHealthStore {
  /// Relates a sample to a workout, or one of its activities, as a rating of its effort. Saves the sample if
  /// it is not stored yet.
  ///
  /// A sample relates to one workout or activity only. Relating it again replaces the previous relation.
  /// - Parameters:
  ///   - sample: A sample of type `workoutEffortScore` or `estimatedWorkoutEffortScore`.
  ///   - workout: A workout that is already stored.
  ///   - activity: An activity of the workout; nil for the workout as a whole.
  /// - Throws: `HKError` errorInvalidArgument if the sample has another type, the activity belongs to another
  ///   workout, or the workout is not stored; otherwise the errors of `save(_:)`.
  public func relateWorkoutEffortSample(
    _ sample: HKSample, with workout: HKWorkout, activity: HKWorkoutActivity?
  ) async throws {
    try Effort.check(sample, workout, activity)
    try await HKError.translating {
      let batch = try await unsaved([sample], keepingDevices: true)
      try await admit(.save([sample.sampleType, .workoutType()]))
        .save(batch.records, relating: sample.uuid, to: workout.uuid, part: activity?.uuid)
    }
  }

  /// Completion-handler version of `relateWorkoutEffortSample(_:with:activity:)`. The handler runs on a
  /// background queue.
  @preconcurrency
  public func relateWorkoutEffortSample(
    _ sample: HKSample, with workout: HKWorkout, activity: HKWorkoutActivity?,
    completion: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    report(to: completion) {
      try await self.relateWorkoutEffortSample(sample, with: workout, activity: activity)
    }
  }

  /// Removes the relation between a sample and a workout or activity. The sample stays in the store.
  /// - Throws: `HKError` errorInvalidArgument if the sample is not related to this workout and activity;
  ///   otherwise the errors of `relateWorkoutEffortSample(_:with:activity:)`.
  public func unrelateWorkoutEffortSample(
    _ sample: HKSample, from workout: HKWorkout, activity: HKWorkoutActivity?
  ) async throws {
    try Effort.check(sample, workout, activity)
    try await HKError.translating {
      try await admit(.save([sample.sampleType, .workoutType()]))
        .unrelate(sample.uuid, from: workout.uuid, part: activity?.uuid)
    }
  }

  /// Completion-handler version of `unrelateWorkoutEffortSample(_:from:activity:)`. The handler runs on a
  /// background queue.
  @preconcurrency
  public func unrelateWorkoutEffortSample(
    _ sample: HKSample, from workout: HKWorkout, activity: HKWorkoutActivity?,
    completion: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    report(to: completion) {
      try await self.unrelateWorkoutEffortSample(sample, from: workout, activity: activity)
    }
  }
}

/// The sample types that rate the effort of a workout.
enum Effort {
  /// The types in order of precedence: scores that the user entered, then estimated scores.
  static let types = [HKQuantityType(.workoutEffortScore), HKQuantityType(.estimatedWorkoutEffortScore)]

  static var filter: SampleFilter { .any(types.map { .type($0.identifier) }) }

  static func check(
    _ sample: HKSample, _ workout: HKWorkout, _ activity: HKWorkoutActivity?
  ) throws(HKError) {
    guard types.contains(where: { $0 == sample.sampleType }) else {
      throw HKError(.errorInvalidArgument, reason: "\(sample.sampleType) is not an effort type")
    }
    guard activity.map(workout.workoutActivities.contains) ?? true else {
      throw HKError(.errorInvalidArgument, reason: "the activity is not of this workout")
    }
  }

  /// Returns the latest score that the user entered, or the latest estimated score if the user entered no
  /// score.
  static func mostRelevant(_ samples: [HKSample]) -> HKSample? {
    for type in types {
      let latest = samples.filter { $0.sampleType == type }.max { $0.startDate < $1.startDate }
      if let latest { return latest }
    }
    return nil
  }
}
