import HealthKit
import Testing

/// Tests sort descriptors with keys, as most programs for Apple's HealthKit create them.
@Suite struct SortIdentifierTests {
  private func workout(
    at start: Double, lasting duration: Double, energy: Double? = nil, metres: Double? = nil,
    strokes: Double? = nil, flights: Double? = nil
  ) throws -> HKWorkout {
    func quantity(_ value: Double?, _ unit: HKUnit) -> HKQuantity? {
      value.map { HKQuantity(unit: unit, doubleValue: $0) }
    }
    return try HKWorkout.validated(
      activityType: .other, start: moment(start), end: moment(start + duration),
      totalEnergyBurned: quantity(energy, .kilocalorie()), totalDistance: quantity(metres, .meter()),
      totalSwimmingStrokeCount: quantity(strokes, .count()), totalFlightsClimbed: quantity(flights, .count()))
  }

  private func answer(
    _ type: HKSampleType, _ descriptors: [NSSortDescriptor], limit: Int = HKObjectQueryNoLimit,
    in store: HKHealthStore
  ) async throws -> [HKSample] {
    let answer: Result<[HKSample], any Error> = await withCheckedContinuation { done in
      store.execute(
        HKSampleQuery(sampleType: type, predicate: nil, limit: limit, sortDescriptors: descriptors) {
          _, samples, error in done.resume(returning: error.map { .failure($0) } ?? .success(samples ?? []))
        })
    }
    return try answer.get()
  }

  @Test(arguments: [
    ([HKSampleSortIdentifierStartDate, "startDate"], [0, 1, 2]),
    ([HKSampleSortIdentifierEndDate, "endDate"], [1, 0, 2]),
    ([HKWorkoutSortIdentifierDuration, "duration"], [1, 2, 0]),
    ([HKWorkoutSortIdentifierTotalEnergyBurned, "totalEnergyBurned"], [2, 0, 1]),
    // Workouts without a distance come before those with one, and are sorted by start among themselves.
    ([HKWorkoutSortIdentifierTotalDistance, "totalDistance"], [1, 2, 0]),
    ([HKWorkoutSortIdentifierTotalSwimmingStrokeCount], [0, 2, 1]),
    ([HKWorkoutSortIdentifierTotalFlightsClimbed], [2, 1, 0]),
  ])
  func `workouts are sorted by Apple's identifiers and by property names`(
    keys: [String], order: [Int]
  ) async throws {
    let workouts = [
      try workout(at: 0, lasting: 90, energy: 20, metres: 5, strokes: 1, flights: 3),
      try workout(at: 1, lasting: 8, energy: 30, strokes: 9, flights: 2),
      try workout(at: 2, lasting: 89, energy: 10, strokes: 4, flights: 1),
    ]
    let store = try HKHealthStore.inMemory()
    try await store.save(workouts.shuffled())
    for key in keys {
      let ascending = NSSortDescriptor(key: key, ascending: true)
      let sorted = order.map { workouts[$0] }
      #expect(try await answer(.workoutType(), [ascending], in: store) == sorted, "\(key)")
      #expect(
        try await answer(.workoutType(), [ascending], limit: 2, in: store) == sorted.dropLast(), "\(key)")
      #expect((workouts as NSArray).sortedArray(using: [ascending]) as? [HKWorkout] == sorted, "\(key)")
      let descending = try await answer(
        .workoutType(), [NSSortDescriptor(key: key, ascending: false)], limit: 1, in: store)
      #expect(descending == [sorted[2]], "\(key)")
    }
  }

  @Test func `the next sort descriptor decides between equal samples`() async throws {
    let workouts = [
      try workout(at: 0, lasting: 5, metres: 1), try workout(at: 10, lasting: 5, metres: 2),
      try workout(at: 20, lasting: 4, metres: 3),
    ]
    let store = try HKHealthStore.inMemory()
    try await store.save(workouts)
    let descriptors = [
      NSSortDescriptor(key: HKWorkoutSortIdentifierDuration, ascending: true),
      NSSortDescriptor(key: HKSampleSortIdentifierStartDate, ascending: false),
    ]
    #expect(
      try await answer(.workoutType(), descriptors, in: store) == [workouts[2], workouts[1], workouts[0]])
    let byKeyPath = NSSortDescriptor(keyPath: \HKWorkout.duration, ascending: true)
    #expect(try await answer(.workoutType(), [byKeyPath], limit: 1, in: store) == [workouts[2]])
  }

  @Test(arguments: [nil, "", "heartRate", "quantity"])
  func `an unsupported sort key is an error that names the key`(key: String?) async throws {
    let store = try HKHealthStore.inMemory()
    let error = await #expect(throws: HKError.self) {
      try await answer(
        HKQuantityType(.heartRate), [NSSortDescriptor(key: key, ascending: true)], in: store)
    }
    #expect(error?.code == .errorInvalidArgument)
    #expect(error?.localizedDescription.contains("“\(key ?? "")”") == true)
  }

  @Test func `sort keys of workouts do not sort other samples`() async throws {
    let store = try HKHealthStore.inMemory()
    await expectFailure(.errorInvalidArgument) {
      _ = try await answer(
        HKQuantityType(.heartRate), [NSSortDescriptor(key: HKWorkoutSortIdentifierDuration, ascending: true)],
        in: store)
    }
  }
}
