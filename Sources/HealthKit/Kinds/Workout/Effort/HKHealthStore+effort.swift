import Foundation
import HealthStorage

extension HKHealthStore {
  /// Says how hard a workout was, or an activity of it. A sample that is not stored yet is saved with it.
  ///
  /// A sample is about one thing of a workout: relating it again takes it from the other.
  /// - Parameters:
  ///   - sample: of the type `workoutEffortScore` or `estimatedWorkoutEffortScore`.
  ///   - workout: stored already.
  ///   - activity: one of the workout's; nil for the workout as a whole.
  /// - Throws: `HKError`, errorInvalidArgument for a sample of another type, an activity of another workout,
  ///   or a workout that is not stored; otherwise as `save(_:)`.
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

  /// As the asynchronous form; the handler runs on a background queue.
  @preconcurrency
  public func relateWorkoutEffortSample(
    _ sample: HKSample, with workout: HKWorkout, activity: HKWorkoutActivity?,
    completion: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    report(to: completion) {
      try await self.relateWorkoutEffortSample(sample, with: workout, activity: activity)
    }
  }

  /// Takes back that a sample says how hard a workout was, or an activity of it. The sample stays in the
  /// store.
  /// - Throws: `HKError`, errorInvalidArgument if the sample is not related to just this; otherwise as
  ///   `relateWorkoutEffortSample(_:with:activity:)`.
  public func unrelateWorkoutEffortSample(
    _ sample: HKSample, from workout: HKWorkout, activity: HKWorkoutActivity?
  ) async throws {
    try Effort.check(sample, workout, activity)
    try await HKError.translating {
      try await admit(.save([sample.sampleType, .workoutType()]))
        .unrelate(sample.uuid, from: workout.uuid, part: activity?.uuid)
    }
  }

  /// As the asynchronous form; the handler runs on a background queue.
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

/// The samples that say how hard a workout was.
enum Effort {
  /// What the user said counts before what was estimated.
  static let types = [HKQuantityType(.workoutEffortScore), HKQuantityType(.estimatedWorkoutEffortScore)]

  static var filter: SampleFilter { .any(types.map { .type($0.identifier) }) }

  static func check(
    _ sample: HKSample, _ workout: HKWorkout, _ activity: HKWorkoutActivity?
  ) throws(HKError) {
    guard types.contains(where: { $0 == sample.sampleType }) else {
      throw HKError(.errorInvalidArgument, reason: "\(sample.sampleType) does not tell of effort")
    }
    guard activity.map(workout.workoutActivities.contains) ?? true else {
      throw HKError(.errorInvalidArgument, reason: "the activity is not of this workout")
    }
  }

  /// What the user said last, else what was estimated last.
  static func mostRelevant(_ samples: [HKSample]) -> HKSample? {
    for type in types {
      let latest = samples.filter { $0.sampleType == type }.max { $0.startDate < $1.startDate }
      if let latest { return latest }
    }
    return nil
  }
}
