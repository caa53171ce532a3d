import Foundation
import HealthKit

/// Uses sort descriptors with Apple's identifiers, which were once the most frequent incompatibility.
enum SortIdentifiers: Page {
  static func run() async throws {
    let store = try HKHealthStore.inMemory()
    let now = Date()
    let workouts = [(5.0, 300.0), (20, 100), (10, 200)].map { minutes, kilocalories in
      HKWorkout(
        activityType: .running, start: now - minutes * 120, end: now - minutes * 60, workoutEvents: nil,
        totalEnergyBurned: HKQuantity(unit: .kilocalorie(), doubleValue: kilocalories), totalDistance: nil,
        metadata: nil)
    }
    try await store.save(workouts)

    let byStart = NSSortDescriptor(key: HKSampleSortIdentifierStartDate, ascending: true)
    try expect(await minutes(store, [byStart]) == [20, 10, 5], "by start")
    let byEnd = NSSortDescriptor(key: HKSampleSortIdentifierEndDate, ascending: false)
    try expect(await minutes(store, [byEnd]) == [5, 10, 20], "by end")
    let byDuration = NSSortDescriptor(key: HKWorkoutSortIdentifierDuration, ascending: true)
    try expect(await minutes(store, [byDuration]) == [5, 10, 20], "by duration")
    let byEnergy = NSSortDescriptor(key: HKWorkoutSortIdentifierTotalEnergyBurned, ascending: false)
    try expect(await minutes(store, [byEnergy], limit: 2) == [5, 10], "by energy")
    let byDistance = NSSortDescriptor(key: HKWorkoutSortIdentifierTotalDistance, ascending: true)
    try expect(await minutes(store, [byDistance, byStart]) == [20, 10, 5], "by distance, then start")

    let inMemory = (workouts as NSArray).sortedArray(using: [byEnergy]) as? [HKWorkout]
    try expect(inMemory?.map(\.duration) == [300, 600, 1200], "in memory")
  }

  private static func minutes(
    _ store: HKHealthStore, _ descriptors: [NSSortDescriptor], limit: Int = HKObjectQueryNoLimit
  ) async throws -> [Double] {
    try await withCheckedThrowingContinuation { continuation in
      let query = HKSampleQuery(
        sampleType: .workoutType(), predicate: nil, limit: limit, sortDescriptors: descriptors
      ) { _, samples, error in
        if let error {
          continuation.resume(throwing: error)
        } else {
          continuation.resume(returning: (samples as? [HKWorkout] ?? []).map { $0.duration / 60 })
        }
      }
      store.execute(query)
    }
  }
}
