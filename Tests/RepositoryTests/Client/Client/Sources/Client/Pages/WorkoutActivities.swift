import Foundation
import HealthKit

/// Checks that every workout has an activity. Without explicit activities, it has one of its own type.
enum WorkoutActivities: Page {
  static func run() async throws {
    let store = try HKHealthStore.inMemory()
    let configuration = HKWorkoutConfiguration()
    configuration.activityType = .cycling
    configuration.locationType = .indoor
    let builder = HKWorkoutBuilder(healthStore: store, configuration: configuration, device: .local())
    let start = Date() - 600
    try await builder.beginCollection(at: start)
    let energy = HKQuantitySample(
      type: HKQuantityType(.activeEnergyBurned), quantity: HKQuantity(unit: .kilocalorie(), doubleValue: 80),
      start: start, end: start + 600)
    try await builder.addSamples([energy])
    try await builder.endCollection(at: start + 600)
    guard let workout = try await builder.finishWorkout() else {
      throw ExpectationError(description: "no workout")
    }

    let descriptor = HKSampleQueryDescriptor(
      predicates: [.workout()], sortDescriptors: [SortDescriptor(\.startDate)])
    let read = try await descriptor.result(for: store)
    for workout in [workout] + read {
      guard let activity = workout.workoutActivities.first, workout.workoutActivities.count == 1 else {
        throw ExpectationError(description: "one activity")
      }
      try expect(activity.workoutConfiguration.activityType == .cycling, "of the type of the workout")
      try expect(activity.workoutConfiguration.locationType == .indoor, "where the workout was")
      try expect(activity.startDate == workout.startDate, "from the start")
      try expect(activity.endDate == workout.endDate && activity.duration == 600, "to the end")
      let sum = activity.statistics(for: HKQuantityType(.activeEnergyBurned))?.sumQuantity()
      try expect(sum?.doubleValue(for: .kilocalorie()) == 80, "with all samples")
    }
    try expect(read.first?.workoutActivities == workout.workoutActivities, "the same one each time")
  }
}
