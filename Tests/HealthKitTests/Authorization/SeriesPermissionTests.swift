import CoreLocation
import HealthKit
import Testing

/// Quantities of series, places of routes and statistics of workouts, under each decision.
@Suite struct SeriesPermissionTests {
  private func quantities(in store: HKHealthStore) async throws -> Int {
    var count = 0
    for options in [HKQuantitySeriesSampleQueryDescriptor.Options(), .orderByQuantitySampleStartDate] {
      let query = HKQuantitySeriesSampleQueryDescriptor(
        predicate: .quantitySample(type: HKQuantityType(.heartRate)), options: options)
      for try await _ in query.results(for: store) { count += 1 }
    }
    return count
  }

  private func greatest(in store: HKHealthStore) async throws -> Double? {
    let query = HKStatisticsQueryDescriptor(
      predicate: .quantitySample(type: HKQuantityType(.heartRate)), options: .discreteMax)
    return try await query.result(for: store)?.maximumQuantity()?.doubleValue(for: beatsPerMinute)
  }

  private func workout(in store: HKHealthStore) async throws -> HKWorkout? {
    try await HKSampleQueryDescriptor(predicates: [.workout()], sortDescriptors: []).result(for: store).first
  }

  @Test(arguments: StoreDepth.allCases)
  func `what a series, a route and a workout hold is seen by whoever may read it`(_ depth: StoreDepth)
    async throws
  {
    try await depth.withApplication { application in
      let builder = HKWorkoutBuilder(
        healthStore: application.monitor, configuration: HKWorkoutConfiguration(), device: nil)
      try await builder.beginCollection(at: moment())
      let series = HKQuantitySeriesSampleBuilder(
        healthStore: application.monitor, quantityType: HKQuantityType(.heartRate), startDate: moment(),
        device: nil)
      for second in 0..<5 {
        try series.insert(HKQuantity(unit: beatsPerMinute, doubleValue: 100), at: moment(Double(second)))
      }
      try await builder.addSamples(try await series.finishSeries(metadata: nil))
      let routeBuilder = try #require(builder.seriesBuilder(for: .workoutRoute()) as? HKWorkoutRouteBuilder)
      try await routeBuilder.insertRouteData(WorkoutRouteTests.places(3))
      try await builder.endCollection(at: moment(10))
      try await builder.finishWorkout()
      let route = try #require(
        try await HKSampleQueryDescriptor(predicates: [.workoutRoute()], sortDescriptors: [])
          .result(for: application.monitor).first)
      func places() async throws -> Int {
        var count = 0
        for try await _ in HKWorkoutRouteQueryDescriptor(route).results(for: application.store) { count += 1 }
        return count
      }
      let store = application.store
      await expectFailure(.errorAuthorizationNotDetermined) { try await quantities(in: store) }
      await expectFailure(.errorAuthorizationNotDetermined) { try await places() }

      try await application.decide(share: true, read: false, HKQuantityType(.heartRate))
      try await application.decide(read: false, HKSeriesType.workoutRoute())
      try await application.decide(read: true, HKObjectType.workoutType())
      try await store.save(heartRate(60, at: 100))
      #expect(try await quantities(in: store) == 2)
      #expect(try await greatest(in: store) == 60)
      await expectFailure(.errorNoData) { try await places() }
      #expect(try await workout(in: store)?.allStatistics.isEmpty == true)

      try await application.decide(read: true, HKQuantityType(.heartRate))
      try await application.decide(read: true, HKSeriesType.workoutRoute())
      #expect(try await quantities(in: store) == 12)
      #expect(try await greatest(in: store) == 100)
      #expect(try await places() == 3)
      #expect(try await workout(in: store)?.allStatistics.count == 1)
    }
  }

  @Test func `a series is finished by whoever may save it, else the builder is as it was`() async throws {
    try await StoreDepth.memory.withApplication { application in
      let builder = HKQuantitySeriesSampleBuilder(
        healthStore: application.store, quantityType: heartRateType, startDate: moment(), device: nil)
      try builder.insert(HKQuantity(unit: beatsPerMinute, doubleValue: 60), at: moment())
      await expectFailure(.errorAuthorizationNotDetermined) { try await builder.finishSeries(metadata: nil) }
      try await application.decide(share: false, heartRateType)
      await expectFailure(.errorAuthorizationDenied) { try await builder.finishSeries(metadata: nil) }
      try await application.decide(share: true, heartRateType)
      #expect(try await builder.finishSeries(metadata: nil).count == 1)
      let beats = HKHeartbeatSeriesBuilder(healthStore: application.store, device: nil, start: moment())
      try await beats.addHeartbeat(at: 0, precededByGap: false)
      await expectFailure(.errorAuthorizationNotDetermined) { try await beats.finishSeries() }
    }
  }

  @Test func `who may not save the samples of a workout adds none`() async throws {
    try await StoreDepth.memory.withApplication { application in
      try await application.decide(share: true, HKObjectType.workoutType())
      let workout = HKWorkout(activityType: .running, start: moment(), end: moment(60))
      try await application.store.save(workout)
      await expectFailure(.errorAuthorizationNotDetermined) {
        try await application.store.addSamples([heartRate(60, at: 0)], to: workout)
      }
      try await application.decide(share: true, HKQuantityType(.heartRate))
      try await application.store.addSamples([heartRate(60, at: 0)], to: workout)
      try await application.decide(share: false, HKObjectType.workoutType())
      await expectFailure(.errorAuthorizationDenied) {
        try await application.store.addSamples([heartRate(60, at: 0)], to: workout)
      }
    }
  }
}
