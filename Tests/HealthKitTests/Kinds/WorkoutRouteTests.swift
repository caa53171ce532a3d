import CoreLocation
import HealthKit
import Testing

@Suite struct WorkoutRouteTests {
  static func places(_ count: Int, from start: Double = 0) -> [CLLocation] {
    (0..<count).map { (index: Int) -> CLLocation in
      let second = Double(index)
      return CLLocation(
        coordinate: CLLocationCoordinate2D(latitude: 52 + second / 3e5, longitude: 13.123456789012345),
        altitude: 34.5, horizontalAccuracy: 4.7, verticalAccuracy: 3, course: Double(index % 360),
        courseAccuracy: 10, speed: 2.9 + 1e-9 * second, speedAccuracy: 0.1, timestamp: moment(start + second))
    }
  }

  private func workout(in store: HKHealthStore) async throws -> HKWorkout {
    let workout = HKWorkout(activityType: .running, start: moment(), end: moment(3600))
    try await store.save(workout)
    return workout
  }

  private func locations(of route: HKWorkoutRoute, in store: HKHealthStore) async throws -> [CLLocation] {
    var locations: [CLLocation] = []
    for try await location in HKWorkoutRouteQueryDescriptor(route).results(for: store) {
      locations.append(location)
    }
    return locations
  }

  @Test(arguments: StoreDepth.allCases)
  func `a route is read unchanged, in order of time`(_ depth: StoreDepth) async throws {
    try await depth.withStore { store in
      let builder = HKWorkoutRouteBuilder(healthStore: store, device: .local())
      let places = Self.places(50)
      try await builder.insertRouteData(Array(places[20...]))
      try await builder.insertRouteData(Array(places[..<20]))
      try await builder.addMetadata(["k": 1, "l": 1])
      let made = try await builder.finishRoute(with: try await workout(in: store), metadata: ["k": 2])
      let found = try #require(
        try await HKSampleQueryDescriptor(predicates: [.workoutRoute()], sortDescriptors: []).result(
          for: store
        ).first)
      #expect(found == made && found.count == 50 && made.count == 50)
      #expect(found.startDate == moment() && found.endDate == moment(49))
      #expect(found.device == .local())
      #expect(found.metadata?["k"] as? Int == 2 && found.metadata?["l"] as? Int == 1)
      #expect(try await locations(of: found, in: store) == places)
    }
  }

  @Test func `invalid locations are rejected, and the builder remains usable`() async throws {
    let store = try HKHealthStore.inMemory()
    let builder = HKWorkoutRouteBuilder(healthStore: store, device: nil)
    for bad in [
      CLLocation(latitude: 91, longitude: 0), CLLocation(latitude: .nan, longitude: 0),
      CLLocation(
        coordinate: CLLocationCoordinate2D(), altitude: 0, horizontalAccuracy: 0, verticalAccuracy: 0,
        timestamp: Date(timeIntervalSince1970: .infinity)),
    ] {
      await expectFailure(.errorInvalidArgument) { try await builder.insertRouteData(Self.places(1) + [bad]) }
    }
    let workout = try await workout(in: store)
    await expectFailure(.errorInvalidArgument) { try await builder.finishRoute(with: workout, metadata: nil) }
    try await builder.insertRouteData(Self.places(2))
    await expectFailure(.errorInvalidArgument) {
      try await builder.finishRoute(with: workout, metadata: ["k": [1]])
    }
    let unsaved = HKWorkout(activityType: .running, start: moment(), end: moment(1))
    await expectFailure(.errorInvalidArgument) { try await builder.finishRoute(with: unsaved, metadata: nil) }
    #expect(try await builder.finishRoute(with: workout, metadata: nil).count == 2)
    await expectFailure(.errorInvalidArgument) { try await builder.insertRouteData(Self.places(1)) }
    await expectFailure(.errorInvalidArgument) { try await builder.finishRoute(with: workout, metadata: nil) }
    let discarded = HKWorkoutRouteBuilder(healthStore: store, device: nil)
    discarded.discard()
    await expectFailure(.errorInvalidArgument) { try await discarded.insertRouteData(Self.places(1)) }
  }

  @Test func `a route query returns batches and marks the last one`() async throws {
    let store = try HKHealthStore.inMemory()
    let builder = HKWorkoutRouteBuilder(healthStore: store, device: nil)
    try await builder.insertRouteData(Self.places(2500))
    let route = try await builder.finishRoute(with: try await workout(in: store), metadata: nil)
    func batches(_ make: (@escaping HKWorkoutRouteQuery.DataHandler) -> HKWorkoutRouteQuery) async -> [(
      [CLLocation], Bool
    )] {
      let (calls, continuation) = AsyncStream<([CLLocation], Bool)>.makeStream()
      store.execute(
        make { _, locations, done, error in
          #expect(error == nil)
          continuation.yield((locations ?? [], done))
          if done { continuation.finish() }
        })
      return await calls.reduce(into: []) { $0.append($1) }
    }
    let all = await batches { HKWorkoutRouteQuery(route: route, dataHandler: $0) }
    #expect(all.map(\.0.count) == [1000, 1000, 500] && all.map(\.1) == [false, false, true])
    let some = await batches {
      HKWorkoutRouteQuery(
        route: route, dateInterval: DateInterval(start: moment(10), end: moment(20)), dataHandler: $0)
    }
    #expect(some.flatMap(\.0).map(\.timestamp) == (10...20).map { moment(Double($0)) })
    let none = await batches {
      HKWorkoutRouteQuery(
        route: route, dateInterval: DateInterval(start: moment(-20), end: moment(-10)), dataHandler: $0)
    }
    #expect(none.map(\.0.count) == [0] && none.map(\.1) == [true])
  }

  @Test func `a route that is not stored is errorNoData`() async throws {
    let store = try HKHealthStore.inMemory()
    let builder = HKWorkoutRouteBuilder(healthStore: store, device: nil)
    try await builder.insertRouteData(Self.places(1))
    let route = try await builder.finishRoute(with: try await workout(in: store), metadata: nil)
    let other = try HKHealthStore.inMemory()
    do {
      _ = try await locations(of: route, in: other)
      Issue.record("places of nothing")
    } catch HKError.errorNoData {
    }
  }
}
