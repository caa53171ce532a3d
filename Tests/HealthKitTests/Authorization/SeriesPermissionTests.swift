import CoreLocation
import HealthStorage
import Testing

@testable import HealthKit

/// Tests reading quantities of series, locations of routes and statistics of workouts, for each permission
/// decision of the user.
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
  func `the contents of series, routes and workouts require permission to read`(_ depth: StoreDepth)
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

  @Test func `finishing a series requires permission to save, and otherwise leaves the builder unchanged`()
    async throws
  {
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

  @Test func `adding samples to a workout requires permission to save them`() async throws {
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

  @Test func `samples can be added only to a workout that the application saved itself`() async throws {
    try await StoreDepth.memory.withApplication { application in
      try await application.decide(share: true, read: true, HKObjectType.workoutType(), heartRateType)
      let workout = HKWorkout(activityType: .running, start: moment(), end: moment(60))
      try await application.monitor.save(workout)
      await expectFailure(.errorAuthorizationDenied) {
        try await application.store.addSamples([heartRate(60, at: 0)], to: workout)
      }
      #expect(try await samples(heartRateType, in: application.system).isEmpty)
    }
  }

  @Test func `an object stored as another type is not a workout, whatever the application claims`()
    async throws
  {
    try await StoreDepth.memory.withApplication { application in
      try await application.decide(share: true, read: true, HKObjectType.workoutType(), heartRateType)
      let (sample, forged) = (
        heartRate(60, at: 0), HKWorkout(activityType: .running, start: moment(), end: moment(60))
      )
      try await application.store.save(sample)
      let members = heartRate(61, at: 1)
      let database = try application.store.admit(.save([heartRateType, .workoutType()]))
      try await application.store.save(members)
      await #expect(throws: StorageError.notStored([sample.uuid])) {
        try await database.save(
          [], associating: [members.uuid], with: sample.uuid, ofType: forged.sampleType.identifier)
      }
    }
  }

  @Test func `stored samples of others can be added if they may be read`() async throws {
    try await StoreDepth.memory.withApplication { application in
      try await application.decide(share: true, read: true, HKObjectType.workoutType())
      let workout = HKWorkout(activityType: .running, start: moment(), end: moment(60))
      let other = heartRate(60, at: 0)
      try await application.monitor.save(other)
      try await application.store.save(workout)
      func members() async throws -> Int {
        try await HKSampleQueryDescriptor(
          predicates: [
            .quantitySample(type: heartRateType, predicate: HKQuery.predicateForObjects(from: workout))
          ],
          sortDescriptors: []
        ).result(for: application.monitor).count
      }
      for decision in [nil, false] as [Bool?] {
        try await application.decide(share: true, read: decision, heartRateType)
        await expectFailure(.errorAuthorizationDenied) {
          try await application.store.addSamples([other], to: workout)
        }
        #expect(try await members() == 0)
      }
      try await application.decide(read: true, heartRateType)
      try await application.store.addSamples([other], to: workout)
      #expect(try await members() == 1)
    }
  }

  @Test func `a workout is finished without samples whose permission to read was revoked`() async throws {
    try await StoreDepth.memory.withApplication { application in
      try await application.decide(share: true, read: true, HKObjectType.workoutType(), heartRateType)
      let (kept, hidden) = (heartRate(60, at: 0), heartRate(70, at: 1))
      try await application.monitor.save(hidden)
      let builder = HKWorkoutBuilder(
        healthStore: application.store, configuration: HKWorkoutConfiguration(), device: nil)
      try await builder.beginCollection(at: moment())
      try await builder.addSamples([kept, hidden])
      try await application.decide(read: false, heartRateType)
      try await builder.endCollection(at: moment(10))
      let workout = try #require(try await builder.finishWorkout())
      let found = try await HKSampleQueryDescriptor(
        predicates: [
          .quantitySample(type: heartRateType, predicate: HKQuery.predicateForObjects(from: workout))
        ],
        sortDescriptors: []
      ).result(for: application.monitor)
      #expect(found.map(\.uuid) == [kept.uuid])
    }
  }
}
