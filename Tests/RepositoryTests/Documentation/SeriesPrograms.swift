import CoreLocation
import HealthKit
import Testing

/// Runs the code blocks of the documentation page on series and workouts.
@Suite struct SeriesPrograms {
  private let store: HKHealthStore
  private let start = Date(timeIntervalSince1970: 1_767_261_600)

  init() throws { store = try .inMemory() }

  @Test func `beats are read as they were added`() async throws {
    let builder = HKHeartbeatSeriesBuilder(healthStore: store, device: .local(), start: start)
    try await builder.addHeartbeat(at: 0, precededByGap: true)
    try await builder.addHeartbeat(at: 0.8125, precededByGap: false)
    try await builder.addHeartbeat(at: 1.625, precededByGap: false)
    let series = try await builder.finishSeries()
    #expect(series.count == 3)
    var previous: TimeInterval?
    var intervals: [TimeInterval] = []
    for try await beat in HKHeartbeatSeriesQueryDescriptor(series).results(for: store) {
      if let previous, !beat.precededByGap { intervals.append(beat.timeIntervalSinceStart - previous) }
      previous = beat.timeIntervalSinceStart
    }
    #expect(intervals == [0.8125, 0.8125])
  }

  @Test func `a quantity series is one sample whose values can be read separately`() async throws {
    let heartRate = HKQuantityType(.heartRate)
    let beatsPerMinute = HKUnit(from: "count/min")
    let hour = HKQuantitySeriesSampleBuilder(
      healthStore: store, quantityType: heartRate, startDate: start, device: .local())
    for second in 0..<3600 {
      let value = 60 + Double(second) / 60
      try hour.insert(HKQuantity(unit: beatsPerMinute, doubleValue: value), at: start + Double(second))
    }
    try await hour.finishSeries(metadata: nil)

    let values = HKQuantitySeriesSampleQueryDescriptor(predicate: .quantitySample(type: heartRate))
    var greatest = 0.0
    for try await value in values.results(for: store) {
      greatest = max(greatest, value.quantity.doubleValue(for: beatsPerMinute))
    }
    #expect(greatest == 60 + 3599.0 / 60)
    let samples = try await HKSampleQueryDescriptor(
      predicates: [.quantitySample(type: heartRate)], sortDescriptors: []
    ).result(for: store)
    #expect(samples.map(\.count) == [3600])
  }

  @Test func `a workout contains its samples, and its duration excludes the pause`() async throws {
    let configuration = HKWorkoutConfiguration()
    configuration.activityType = .running
    let workout = HKWorkoutBuilder(healthStore: store, configuration: configuration, device: .local())
    try await workout.beginCollection(at: start)
    try await workout.addSamples([
      HKQuantitySample(
        type: HKQuantityType(.activeEnergyBurned),
        quantity: HKQuantity(unit: .kilocalorie(), doubleValue: 300), start: start, end: start + 1800)
    ])
    try await workout.addWorkoutEvents([
      HKWorkoutEvent(
        type: .pause, dateInterval: DateInterval(start: start + 600, duration: 0), metadata: nil),
      HKWorkoutEvent(
        type: .resume, dateInterval: DateInterval(start: start + 900, duration: 0), metadata: nil),
    ])
    try await workout.endCollection(at: start + 1800)
    let run = try await workout.finishWorkout()
    func energy(of run: HKWorkout, in store: HKHealthStore) async throws -> [HKQuantitySample] {
      try await HKSampleQueryDescriptor(
        predicates: [
          .quantitySample(
            type: HKQuantityType(.activeEnergyBurned), predicate: HKQuery.predicateForObjects(from: run))
        ], sortDescriptors: [SortDescriptor(\.startDate)]
      ).result(for: store)
    }

    let runs = try await HKSampleQueryDescriptor(
      predicates: [.workout(HKQuery.predicateForWorkouts(with: .running))],
      sortDescriptors: [SortDescriptor(\.startDate)]
    ).result(for: store)
    #expect(run?.duration == 1500)
    #expect(runs.map(\.uuid) == [run?.uuid])
    let stored = try #require(runs.first)
    #expect(try await energy(of: stored, in: store).count == 1)
    try await add([CLLocation(latitude: 47.4, longitude: 8.5)], to: stored, in: store)
    let routes = try await HKSampleQueryDescriptor(
      predicates: [.workoutRoute()], sortDescriptors: []
    ).result(for: store)
    #expect(routes.map(\.count) == [1])
  }

  func add(_ places: [CLLocation], to run: HKWorkout, in store: HKHealthStore) async throws {
    let route = HKWorkoutRouteBuilder(healthStore: store, device: .local())
    try await route.insertRouteData(places)
    let saved = try await route.finishRoute(with: run, metadata: nil)
    for try await place in HKWorkoutRouteQueryDescriptor(saved).results(for: store) {
      print(place.timestamp, place.coordinate.latitude, place.coordinate.longitude)
    }
  }
}
