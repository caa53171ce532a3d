public import CoreLocation
import HealthStorage

/// Asks for the places of a stored route.
public struct HKWorkoutRouteQueryDescriptor: Sendable {
  public var workoutRoute: HKWorkoutRoute

  public init(_ workoutRoute: HKWorkoutRoute) {
    self.workoutRoute = workoutRoute
  }

  /// The places in order of time. The first `next()` reads the route.
  public func results(for store: HKHealthStore) -> Results {
    Results { [workoutRoute] in try await store.locations(of: workoutRoute) }
  }

  /// The places of one route. Throws errorNoData if it is not in the store.
  public struct Results: AsyncSequence, Sendable {
    public typealias Element = CLLocation

    fileprivate let load: @Sendable () async throws -> [CLLocation]

    public func makeAsyncIterator() -> Iterator {
      Iterator(locations: LoadedList(load))
    }

    public struct Iterator: AsyncIteratorProtocol {
      fileprivate var locations: LoadedList<CLLocation>

      public mutating func next() async throws -> CLLocation? {
        try await locations.next()
      }
    }
  }
}

extension HKHealthStore {
  /// The places of a stored route.
  func locations(of route: HKWorkoutRoute) async throws -> [CLLocation] {
    try await HKError.translating {
      guard let locations = try await admit(.read([route.sampleType])).locations(of: route.uuid) else {
        throw HKError(.errorNoData, reason: "the route is not in the store")
      }
      return locations.map(\.location)
    }
  }
}
