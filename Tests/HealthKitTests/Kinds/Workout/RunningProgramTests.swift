import CoreLocation
import HealthKit
import Testing

/// A program that records a run with completion handlers, as written for an iPhone. It compiles here without
/// changes.
final class RunRecorder: @unchecked Sendable {
  // @unchecked: used by one test at a time.
  let healthStore: HKHealthStore
  let builder: HKWorkoutBuilder
  let routeBuilder: HKWorkoutRouteBuilder

  init(healthStore: HKHealthStore) {
    self.healthStore = healthStore
    let configuration = HKWorkoutConfiguration()
    configuration.activityType = .running
    configuration.locationType = .outdoor
    builder = HKWorkoutBuilder(healthStore: healthStore, configuration: configuration, device: .local())
    routeBuilder = HKWorkoutRouteBuilder(healthStore: healthStore, device: nil)
  }

  func start(at date: Date, completion: @escaping @Sendable (Bool, (any Error)?) -> Void) {
    builder.beginCollection(withStart: date, completion: completion)
  }

  func record(
    _ samples: [HKSample], _ locations: [CLLocation],
    completion: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    // Filter inaccurate locations, as Apple's guide to routes does.
    let filtered = locations.filter { $0.horizontalAccuracy <= 50.0 }
    routeBuilder.insertRouteData(filtered) { success, error in
      guard success else { return completion(false, error) }
      self.builder.add(samples, completion: completion)
    }
  }

  func finish(
    at date: Date, completion: @escaping @Sendable (HKWorkout?, HKWorkoutRoute?, (any Error)?) -> Void
  ) {
    builder.addWorkoutEvents([
      HKWorkoutEvent(type: .marker, dateInterval: DateInterval(start: date, duration: 0), metadata: nil)
    ]) { _, _ in
      self.builder.addMetadata([HKMetadataKeyIndoorWorkout: false]) { _, _ in
        self.builder.endCollection(withEnd: date) { success, error in
          guard success else { return completion(nil, nil, error) }
          self.builder.finishWorkout { workout, error in
            guard let workout else { return completion(nil, nil, error) }
            self.routeBuilder.finishRoute(with: workout, metadata: nil) { route, error in
              completion(workout, route, error)
            }
          }
        }
      }
    }
  }

  func distance(of route: HKWorkoutRoute) async throws -> CLLocationDistance {
    var last: CLLocation?
    var distance: CLLocationDistance = 0
    for try await location in HKWorkoutRouteQueryDescriptor(route).results(for: healthStore) {
      if let last { distance += location.distance(from: last) }
      last = location
    }
    return distance
  }
}

@Suite struct RunningProgramTests {
  @Test func `a run is recorded with its route`() async throws {
    let store = try HKHealthStore.inMemory()
    let recorder = RunRecorder(healthStore: store)
    func succeeds(_ work: (@escaping @Sendable (Bool, (any Error)?) -> Void) -> Void) async -> Bool {
      await withCheckedContinuation { continuation in work { continuation.resume(returning: $0 && $1 == nil) }
      }
    }
    #expect(await succeeds { recorder.start(at: moment(), completion: $0) })
    let samples = (0..<60).map { heartRate(120 + Double($0 % 2), at: Double($0)) }
    var places = WorkoutRouteTests.places(60)
    places.append(
      CLLocation(
        coordinate: CLLocationCoordinate2D(latitude: 0, longitude: 0), altitude: 0, horizontalAccuracy: 1000,
        verticalAccuracy: -1, timestamp: moment(30)))
    #expect(await succeeds { recorder.record(samples, places, completion: $0) })
    let (workout, route) = await withCheckedContinuation { continuation in
      recorder.finish(at: moment(60)) { workout, route, error in
        #expect(error == nil)
        continuation.resume(returning: (workout, route))
      }
    }
    let average = workout?.statistics(for: HKQuantityType(.heartRate))?.averageQuantity()
    #expect(average?.doubleValue(for: HKUnit.count().unitDivided(by: .minute())) == 120.5)
    #expect(workout?.metadata?[HKMetadataKeyIndoorWorkout] as? Bool == false)
    #expect(workout?.workoutEvents?.map(\.type) == [.marker])
    let found = try #require(route)
    #expect(found.count == 60)
    // The route has 59 steps to the north, each of 1/300,000 of a degree.
    let distance = try await recorder.distance(of: found)
    #expect(abs(distance - 59.0 / 3e5 * 111_266) < 0.1)
  }
}
