import CoreLocation
import Foundation
import HealthKit

/// Reads and changes the sample of a descriptor after the descriptor was created.
enum DescriptorProperties: Page {
  private static func beats(_ count: Int, in store: HKHealthStore) async throws -> HKHeartbeatSeriesSample {
    let builder = HKHeartbeatSeriesBuilder(healthStore: store, device: nil, start: Date())
    for beat in 0..<count { try await builder.addHeartbeat(at: Double(beat), precededByGap: false) }
    return try await builder.finishSeries()
  }

  static func run() async throws {
    let store = try HKHealthStore.inMemory()
    let (one, other) = (try await beats(2, in: store), try await beats(3, in: store))
    var descriptor = HKHeartbeatSeriesQueryDescriptor(one)
    try expect(descriptor.sample == one, "the sample")
    descriptor.sample = other
    var count = 0
    for try await _ in descriptor.results(for: store) { count += 1 }
    try expect(count == 3, "the beats of the other")

    let workout = HKWorkout(activityType: .hiking, start: Date() - 60, end: Date())
    try await store.save(workout)
    let builder = HKWorkoutRouteBuilder(healthStore: store, device: nil)
    try await builder.insertRouteData([
      CLLocation(
        coordinate: CLLocationCoordinate2DMake(52.5, 13.4), altitude: 34,
        horizontalAccuracy: kCLLocationAccuracyNearestTenMeters, verticalAccuracy: 3, timestamp: Date())
    ])
    let route = try await builder.finishRoute(with: workout, metadata: nil)
    let places = HKWorkoutRouteQueryDescriptor(route)
    try expect(places.workoutRoute == route, "the route")
    for try await place in places.results(for: store) {
      try expect(place.floor == nil && place.sourceInformation == nil, "unknown properties of a location")
    }
  }
}
