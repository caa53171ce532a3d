import CoreLocation
import HealthKit
import Testing

@Suite struct WorkoutBuilderTests {
  private let heartRateType = HKQuantityType(.heartRate)
  private let energyType = HKQuantityType(.activeEnergyBurned)

  private func builder(_ store: HKHealthStore, device: HKDevice? = nil) -> HKWorkoutBuilder {
    let configuration = HKWorkoutConfiguration()
    configuration.activityType = .running
    return HKWorkoutBuilder(healthStore: store, configuration: configuration, device: device)
  }

  private func energy(_ kilocalories: Double, at start: Double, lasting: Double = 60) -> HKQuantitySample {
    HKQuantitySample(
      type: energyType, quantity: HKQuantity(unit: .kilocalorie(), doubleValue: kilocalories),
      start: moment(start), end: moment(start + lasting))
  }

  private func event(_ type: HKWorkoutEventType, _ start: Double) -> HKWorkoutEvent {
    HKWorkoutEvent(type: type, dateInterval: DateInterval(start: moment(start), duration: 0), metadata: nil)
  }

  private func workouts(in store: HKHealthStore) async throws -> [HKWorkout] {
    try await HKSampleQueryDescriptor(predicates: [.workout()], sortDescriptors: []).result(for: store)
  }

  private func refuse(
    _ location: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
  ) async {
    do {
      try await body()
      Issue.record("nothing was refused", sourceLocation: location)
    } catch {
      #expect((error as? HKError)?.code == .errorInvalidArgument, sourceLocation: location)
    }
  }

  @Test(arguments: StoreDepth.allCases)
  func `a workout is built, saved, and read with its statistics`(_ depth: StoreDepth) async throws {
    try await depth.withStore { store in
      let builder = builder(store, device: .local())
      #expect(builder.startDate == nil && builder.endDate == nil)
      try await builder.beginCollection(at: moment())
      try await builder.addSamples([heartRate(100, at: 0), heartRate(140, at: 1), heartRate(120, at: 2)])
      #expect(builder.allStatistics.count == 1)
      let energies = [energy(10, at: 0), energy(20, at: 60)]
      try await builder.addSamples(energies)
      // Adding the same samples twice has no further effect.
      try await builder.addSamples(energies)
      try await builder.addMetadata(["k": 1])
      try await builder.addMetadata(["k": 2])
      try await builder.addWorkoutEvents([event(.resume, 160), event(.pause, 100)])
      #expect(builder.metadata["k"] as? Int == 2)
      #expect(builder.workoutEvents.map(\.type) == [.pause, .resume])
      #expect(builder.statistics(for: energyType)?.sumQuantity()?.doubleValue(for: .kilocalorie()) == 30)
      #expect(builder.allStatistics.count == 2)
      try await builder.endCollection(at: moment(600))
      #expect(builder.startDate == moment() && builder.endDate == moment(600))
      let made = try #require(try await builder.finishWorkout())

      let found = try #require(try await workouts(in: store).first)
      for workout in [made, found] {
        #expect(workout == made && workout.workoutActivityType == .running)
        #expect(workout.startDate == moment() && workout.endDate == moment(600))
        #expect(workout.duration == 540)
        #expect(workout.device == .local() && workout.metadata?["k"] as? Int == 2)
        #expect(workout.allStatistics.count == 2)
        let rate = workout.statistics(for: heartRateType)
        #expect(rate?.minimumQuantity()?.doubleValue(for: beatsPerMinute) == 100)
        #expect(rate?.maximumQuantity()?.doubleValue(for: beatsPerMinute) == 140)
        #expect(rate?.averageQuantity()?.doubleValue(for: beatsPerMinute) == 120)
        #expect(workout.statistics(for: energyType)?.sumQuantity()?.doubleValue(for: .kilocalorie()) == 30)
        #expect(workout.totalEnergyBurned?.doubleValue(for: .kilocalorie()) == 30)
        #expect(workout.statistics(for: HKQuantityType(.stepCount)) == nil)
      }
    }
  }

  @Test func `calls in the wrong order are errorInvalidArgument`() async throws {
    let store = try HKHealthStore.inMemory()
    let builder = builder(store)
    await refuse { try await builder.addSamples([heartRate(60, at: 0)]) }
    await refuse { try await builder.addWorkoutEvents([event(.lap, 0)]) }
    await refuse { try await builder.endCollection(at: moment(1)) }
    await refuse { _ = try await builder.finishWorkout() }
    try await builder.beginCollection(at: moment())
    await refuse { try await builder.beginCollection(at: moment()) }
    await refuse { _ = try await builder.finishWorkout() }
    await refuse { try await builder.endCollection(at: moment(-1)) }
    try await builder.endCollection(at: moment(10))
    await refuse { try await builder.endCollection(at: moment(20)) }
    #expect(try await everyHeartRate().result(for: store).isEmpty)
    #expect(try await builder.finishWorkout() != nil)
  }

  @Test func `a finished or discarded builder accepts nothing`() async throws {
    let store = try HKHealthStore.inMemory()
    let finished = builder(store)
    try await finished.beginCollection(at: moment())
    try await finished.endCollection(at: moment(10))
    try await finished.finishWorkout()
    let discarded = builder(store)
    try await discarded.beginCollection(at: moment())
    try await discarded.addSamples([heartRate(60, at: 0)])
    discarded.discardWorkout()
    for builder in [finished, discarded] {
      await refuse { try await builder.addSamples([heartRate(60, at: 1)]) }
      await refuse { try await builder.addMetadata(["k": 1]) }
      await refuse { try await builder.addWorkoutEvents([event(.lap, 1)]) }
      await refuse { _ = try await builder.finishWorkout() }
    }
    #expect(try await workouts(in: store).count == 1)
    // Samples that were added to the discarded builder stay in the store.
    #expect(try await everyHeartRate().result(for: store).values == [60])
  }

  @Test func `events and activities outside the workout are rejected without a change`() async throws {
    let store = try HKHealthStore.inMemory()
    let builder = builder(store)
    try await builder.beginCollection(at: moment())
    await refuse { try await builder.addSamples([heartRate(60, at: 1), heartRate(60, at: -1)]) }
    await refuse { try await builder.addWorkoutEvents([event(.lap, 1), event(.lap, -1)]) }
    await refuse { try await builder.addWorkoutEvents([event(.resume, 1)]) }
    await refuse { try await builder.addMetadata(["l": 1, "k": [1]]) }
    await refuse { try await builder.addMetadata([HKMetadataKeySyncIdentifier: "s"]) }
    try await builder.addWorkoutEvents([event(.lap, 30)])
    await refuse { try await builder.endCollection(at: moment(20)) }
    try await builder.endCollection(at: moment(40))
    await refuse { try await builder.addWorkoutEvents([event(.lap, 41)]) }
    #expect(
      builder.workoutEvents == [event(.lap, 30)] && builder.metadata.isEmpty && builder.allStatistics.isEmpty)
    #expect(try await everyHeartRate().result(for: store).isEmpty)
  }

  @Test func `elapsed time excludes pauses`() async throws {
    let builder = builder(try .inMemory())
    #expect(builder.elapsedTime(at: moment(5)) == 0)
    try await builder.beginCollection(at: moment())
    try await builder.addWorkoutEvents([event(.pause, 10), event(.resume, 20), event(.pause, 30)])
    let dates: [(Double, Double)] = [(-5, 0), (5, 5), (10, 10), (15, 10), (25, 15), (30, 20), (90, 20)]
    for (date, elapsed) in dates { #expect(builder.elapsedTime(at: moment(date)) == elapsed, "\(date)") }
  }

  @Test func `activities have the statistics of the samples within them`() async throws {
    let store = try HKHealthStore.inMemory()
    let builder = builder(store)
    try await builder.beginCollection(at: moment())
    let cycling = HKWorkoutConfiguration()
    cycling.activityType = .cycling
    func activity(_ start: Double, _ end: Double?) -> HKWorkoutActivity {
      HKWorkoutActivity(
        workoutConfiguration: cycling, start: moment(start), end: end.map { moment($0) }, metadata: ["k": 1])
    }
    let first = activity(0, nil)
    let second = activity(100, nil)
    try await builder.addWorkoutActivity(first)
    try await builder.addWorkoutActivity(second)
    await refuse { try await builder.addWorkoutActivity(first) }
    await refuse { try await builder.addWorkoutActivity(activity(-1, nil)) }
    await refuse { try await builder.updateActivity(uuid: second.uuid, end: moment(99)) }
    await refuse { try await builder.updateActivity(uuid: UUID(), end: moment(99)) }
    await refuse { try await builder.updateActivity(uuid: first.uuid, adding: ["l": [1]]) }
    try await builder.updateActivity(uuid: first.uuid, end: moment(100))
    try await builder.updateActivity(uuid: first.uuid, adding: ["k": 2, "l": 3])
    try await builder.addWorkoutEvents([event(.lap, 50), event(.pause, 120), event(.resume, 130)])
    try await builder.addSamples([
      heartRate(60, at: 0), heartRate(80, at: 99), heartRate(100, at: 100), heartRate(120, at: 200),
    ])
    await refuse { try await builder.endCollection(at: moment(90)) }
    try await builder.endCollection(at: moment(200))
    #expect(builder.workoutActivities.map(\.endDate) == [moment(100), nil])
    let made = try #require(try await builder.finishWorkout())
    let found = try #require(try await workouts(in: store).first)
    for workout in [made, found] {
      #expect(workout.workoutActivities.map(\.uuid) == [first.uuid, second.uuid])
      #expect(workout.workoutActivities.map(\.endDate) == [moment(100), moment(200)])
      #expect(workout.workoutActivities.map(\.duration) == [100, 90])
      #expect(workout.workoutActivities.map { $0.workoutEvents.map(\.type) } == [[.lap], [.pause, .resume]])
      #expect(workout.workoutActivities[0].metadata?["k"] as? Int == 2)
      #expect(workout.workoutActivities[0].metadata?["l"] as? Int == 3)
      #expect(workout.workoutActivities[1].metadata?["k"] as? Int == 1)
      let bounds = workout.workoutActivities.map { activity in
        let statistics = activity.statistics(for: heartRateType)
        return [statistics?.minimumQuantity(), statistics?.maximumQuantity()].map {
          $0?.doubleValue(for: beatsPerMinute)
        }
      }
      #expect(bounds == [[60, 80], [100, 120]])
    }
  }

  @Test func `the route of a workout is saved with it`() async throws {
    let store = try HKHealthStore.inMemory()
    let builder = builder(store, device: .local())
    try await builder.beginCollection(at: moment())
    let route = try #require(builder.seriesBuilder(for: .workoutRoute()) as? HKWorkoutRouteBuilder)
    #expect(builder.seriesBuilder(for: .workoutRoute()) === route)
    #expect(builder.seriesBuilder(for: .heartbeat()) == nil)
    try await route.insertRouteData(WorkoutRouteTests.places(10))
    let other = HKWorkout(activityType: .running, start: moment(), end: moment(1))
    try await store.save(other)
    await refuse { _ = try await route.finishRoute(with: other, metadata: nil) }
    try await builder.endCollection(at: moment(10))
    try await builder.finishWorkout()
    let routes = try await HKSampleQueryDescriptor(predicates: [.workoutRoute()], sortDescriptors: []).result(
      for: store)
    #expect(routes.map(\.count) == [10] && routes.first?.device == .local())
    await refuse { try await route.insertRouteData(WorkoutRouteTests.places(1)) }
    // The route of a discarded workout is not saved.
    let without = self.builder(store)
    try await without.beginCollection(at: moment())
    without.seriesBuilder(for: .workoutRoute())?.discard()
    try await without.endCollection(at: moment(10))
    try await without.finishWorkout()
    #expect(
      try await HKSampleQueryDescriptor(predicates: [.workoutRoute()], sortDescriptors: []).result(for: store)
        .count == 1)
  }

  @Test func `stored samples are not saved again, and a series counts by its quantities`()
    async throws
  {
    let store = try HKHealthStore.inMemory()
    let series = HKQuantitySeriesSampleBuilder(
      healthStore: store, quantityType: heartRateType, startDate: moment(), device: nil)
    for (index, value) in [100.0, 150, 110].enumerated() {
      try series.insert(HKQuantity(unit: beatsPerMinute, doubleValue: value), at: moment(Double(index)))
    }
    try await series.finishSeries(metadata: nil)
    let stored = try await everyHeartRate().result(for: store)
    let builder = builder(store)
    try await builder.beginCollection(at: moment())
    try await builder.addSamples(stored)
    try await builder.addSamples(stored)
    try await builder.addSamples([heartRate(90, at: 5)])
    try await builder.endCollection(at: moment(10))
    let made = try #require(try await builder.finishWorkout())
    #expect(try await everyHeartRate().result(for: store).count == 2)
    let found = try #require(try await workouts(in: store).first)
    let all =
      [made, found].map { $0.statistics(for: heartRateType) } + [builder.statistics(for: heartRateType)]
    for statistics in all {
      #expect(statistics?.maximumQuantity()?.doubleValue(for: beatsPerMinute) == 150)
      #expect(statistics?.minimumQuantity()?.doubleValue(for: beatsPerMinute) == 90)
    }
  }

  @Test func `a workout whose save was cancelled can be finished again`() async throws {
    let store = try HKHealthStore.inMemory()
    let builder = builder(store)
    try await builder.beginCollection(at: moment())
    try await builder.endCollection(at: moment(10))
    let cancelled = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await builder.finishWorkout()
    }
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    #expect(try await workouts(in: store).isEmpty)
    #expect(try await builder.finishWorkout() != nil)
    #expect(try await workouts(in: store).count == 1)
  }
}
