import HealthKit
import Testing

/// Tests the samples of a stored workout.
@Suite struct WorkoutSamplesTests {
  private func energy(
    _ kilocalories: Double, at start: Double, version: Int? = nil, device: HKDevice? = nil
  ) -> HKQuantitySample {
    let sync: [String: Any]? = version.map {
      [HKMetadataKeySyncIdentifier: "s", HKMetadataKeySyncVersion: $0]
    }
    return HKQuantitySample(
      type: HKQuantityType(.activeEnergyBurned),
      quantity: HKQuantity(unit: .kilocalorie(), doubleValue: kilocalories), start: moment(start),
      end: moment(start + 60), device: device, metadata: sync)
  }

  private func sum(_ workout: HKWorkout, in store: HKHealthStore) async throws -> Double? {
    let found = try await HKSampleQueryDescriptor(
      predicates: [.workout(HKQuery.predicateForObject(with: workout.uuid))], sortDescriptors: []
    ).result(for: store)
    return found.first?.statistics(for: HKQuantityType(.activeEnergyBurned))?.sumQuantity()?
      .doubleValue(for: .kilocalorie())
  }

  private func workout(in store: HKHealthStore) async throws -> HKWorkout {
    let workout = HKWorkout(activityType: .running, start: moment(), end: moment(600))
    try await store.save(workout)
    return workout
  }

  @Test(arguments: StoreDepth.allCases)
  func `statistics change when samples are added, replaced or deleted`(_ depth: StoreDepth) async throws {
    try await depth.withStore { store in
      let workout = try await workout(in: store)
      #expect(try await sum(workout, in: store) == nil)
      let plain = energy(10, at: 0)
      try await store.addSamples([plain, energy(20, at: 60, version: 1)], to: workout)
      #expect(try await sum(workout, in: store) == 30)
      // Adding a sample twice has no further effect.
      try await store.addSamples([plain], to: workout)
      #expect(try await sum(workout, in: store) == 30)
      try await store.save(energy(25, at: 60, version: 2))
      #expect(try await sum(workout, in: store) == 35)
      try await store.save(energy(99, at: 60, version: 1))
      #expect(try await sum(workout, in: store) == 35)
      try await store.delete(plain)
      #expect(try await sum(workout, in: store) == 25)
    }
  }

  @Test func `values entered by the user have priority over a newer source`() async throws {
    let store = try HKHealthStore.inMemory()
    let workout = try await workout(in: store)
    let entered = HKQuantitySample(
      type: HKQuantityType(.activeEnergyBurned),
      quantity: HKQuantity(unit: .kilocalorie(), doubleValue: 5), start: moment(), end: moment(60),
      metadata: [HKMetadataKeyWasUserEntered: true])
    try await store.acting(as: HKSource(name: "Old", bundleIdentifier: "old")).addSamples(
      [entered], to: workout)
    try await store.acting(as: HKSource(name: "New", bundleIdentifier: "new")).addSamples(
      [energy(70, at: 0)], to: workout)
    #expect(try await sum(workout, in: store) == 5)
  }

  @Test func `samples of other workouts do not count`() async throws {
    let store = try HKHealthStore.inMemory()
    let (one, other) = (try await workout(in: store), try await workout(in: store))
    try await store.save(energy(1, at: 0))
    try await store.addSamples([energy(2, at: 0)], to: one)
    try await store.addSamples([energy(4, at: 0)], to: other)
    #expect(try await sum(one, in: store) == 2)
    #expect(try await sum(other, in: store) == 4)
  }

  @Test func `an unsaved sample is saved without its device, and a stored one is unchanged`()
    async throws
  {
    let store = try HKHealthStore.inMemory()
    let workout = try await workout(in: store)
    let stored = heartRate(60, at: 0, device: .local())
    try await store.save(stored)
    try await store.addSamples([stored, heartRate(70, at: 1, device: .local())], to: workout)
    #expect(try await everyHeartRate().result(for: store).map(\.device) == [.local(), nil])
  }

  @Test func `samples cannot be added to an unsaved workout, and are not saved`() async throws {
    let store = try HKHealthStore.inMemory()
    let unsaved = HKWorkout(activityType: .running, start: moment(), end: moment(600))
    do {
      try await store.addSamples([heartRate(60, at: 0)], to: unsaved)
      Issue.record("samples of nothing")
    } catch HKError.errorInvalidArgument {
    }
    #expect(try await everyHeartRate().result(for: store).isEmpty)
  }

  @Test func `a sample ignored for its version is represented by the stored one`() async throws {
    let store = try HKHealthStore.inMemory()
    let workout = try await workout(in: store)
    try await store.save(energy(7, at: 0, version: 3))
    try await store.addSamples([energy(9, at: 0, version: 2)], to: workout)
    #expect(try await sum(workout, in: store) == 7)
  }

  @Test func `a sample replaced or ignored during a workout is represented by the stored one`()
    async throws
  {
    let store = try HKHealthStore.inMemory()
    try await store.save(energy(7, at: 120, version: 3))
    let builder = HKWorkoutBuilder(healthStore: store, configuration: HKWorkoutConfiguration(), device: nil)
    try await builder.beginCollection(at: moment())
    let gone = energy(100, at: 0)
    try await builder.addSamples([energy(9, at: 120, version: 2), gone])
    try await store.delete(gone)
    try await store.save(energy(8, at: 120, version: 4))
    try await builder.endCollection(at: moment(600))
    let made = try #require(try await builder.finishWorkout())
    #expect(try await sum(made, in: store) == 8)
  }

  @Test func `deleting a workout keeps its samples`() async throws {
    let store = try HKHealthStore.inMemory()
    let workout = try await workout(in: store)
    try await store.addSamples([heartRate(60, at: 0)], to: workout)
    try await store.delete(workout)
    #expect(try await everyHeartRate().result(for: store).values == [60])
    #expect(try await sum(workout, in: store) == nil)
  }

  @Test func `an unsaved workout and one without samples have no statistics`() async throws {
    let store = try HKHealthStore.inMemory()
    let workout = try await workout(in: store)
    #expect(workout.allStatistics.isEmpty)
    let category = HKCategorySample(
      type: HKCategoryType(.sleepAnalysis), value: 5, start: moment(), end: moment(60))
    try await store.addSamples([category], to: workout)
    let found = try await HKSampleQueryDescriptor(predicates: [.workout()], sortDescriptors: []).result(
      for: store)
    #expect(found.first?.allStatistics.isEmpty == true)
  }

  @Test func `a program's own store returns samples that were added with a completion handler`() async throws
  {
    final class Recorder: HKHealthStore, @unchecked Sendable {
      // A subclass like the test doubles of applications. Its method saves nothing.
      override func addSamples(_ samples: [HKSample], to workout: HKWorkout) async throws {
        throw HKError(.errorHealthDataRestricted)
      }
    }
    let (answers, continuation) = AsyncStream<Bool>.makeStream()
    Recorder().add(
      [heartRate(60, at: 0)], to: HKWorkout(activityType: .yoga, start: moment(), end: moment(1))
    ) {
      success, error in
      continuation.yield(!success && (error as? HKError)?.code == .errorHealthDataRestricted)
      continuation.finish()
    }
    #expect(await answers.reduce(into: []) { $0.append($1) } == [true])
  }

  @Test(arguments: StoreDepth.allCases)
  func `a predicate finds only the samples of a workout`(_ depth: StoreDepth) async throws {
    try await depth.withStore { store in
      let (one, other) = (try await workout(in: store), try await workout(in: store))
      let first = heartRate(60, at: 0)
      try await store.save([first, heartRate(61, at: 1)])
      try await store.addSamples([first, heartRate(62, at: 2)], to: one)
      try await store.addSamples([heartRate(63, at: 3)], to: other)
      #expect(
        try await everyHeartRate(HKQuery.predicateForObjects(from: one)).result(for: store).values == [
          60, 62,
        ])
      #expect(
        try await everyHeartRate(HKQuery.predicateForObjects(from: other)).result(for: store).values == [63])
      try await store.delete(first)
      #expect(
        try await everyHeartRate(HKQuery.predicateForObjects(from: one)).result(for: store).values == [62])
    }
  }
}
