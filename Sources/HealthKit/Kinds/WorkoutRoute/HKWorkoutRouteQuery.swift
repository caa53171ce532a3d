public import CoreLocation
import Foundation
import HealthStorage

/// A query that delivers the locations of a stored route to a handler.
// @unchecked: HKQuery is open. All state is `let`, Sendable or in a Mutex.
public final class HKWorkoutRouteQuery: HKQuery, @unchecked Sendable {
  /// The arguments are the query, a batch of locations in chronological order, whether it is the last batch,
  /// and an error. If there is an error, the locations are nil.
  public typealias DataHandler = @Sendable (HKWorkoutRouteQuery, [CLLocation]?, Bool, (any Error)?) -> Void

  /// Maximum number of locations per call of the handler.
  private static let batchSize = 1000

  private let route: HKWorkoutRoute
  private let dateInterval: DateInterval?
  private let handler: DataHandler

  /// Creates a query for all locations of a route.
  /// - Parameter dataHandler: Called for each batch of locations, at least once.
  @preconcurrency
  public convenience init(route workoutRoute: HKWorkoutRoute, dataHandler: @escaping DataHandler) {
    self.init(workoutRoute, nil, dataHandler)
  }

  /// Creates a query for the locations of a route within a time range.
  /// - Parameters:
  ///   - dateInterval: The time range of the locations, including its end.
  ///   - dataHandler: Called for each batch of locations, at least once.
  @preconcurrency
  public convenience init(
    route workoutRoute: HKWorkoutRoute, dateInterval: DateInterval, dataHandler: @escaping DataHandler
  ) {
    self.init(workoutRoute, dateInterval, dataHandler)
  }

  private init(_ route: HKWorkoutRoute, _ dateInterval: DateInterval?, _ handler: @escaping DataHandler) {
    self.route = route
    self.dateInterval = dateInterval
    self.handler = handler
    super.init(route.sampleType, nil)
  }

  override func run(in store: HKHealthStore) async {
    do {
      var rest = try await store.locations(of: route)[...]
      if let dateInterval { rest = rest.filter { dateInterval.contains($0.timestamp) }[...] }
      repeat {
        let batch = Array(rest.prefix(Self.batchSize))
        rest = rest.dropFirst(batch.count)
        let isLast = rest.isEmpty
        await deliver { self.handler(self, batch, isLast, nil) }
      } while !rest.isEmpty
    } catch {
      await deliver { self.handler(self, nil, true, error) }
    }
  }
}

/// A query for the locations of a stored route.
public struct HKWorkoutRouteQueryDescriptor: Sendable {
  public var workoutRoute: HKWorkoutRoute

  public init(_ workoutRoute: HKWorkoutRoute) {
    self.workoutRoute = workoutRoute
  }

  /// Returns the locations in chronological order. The first `next()` reads the whole route.
  public func results(for store: HKHealthStore) -> Results {
    Results { [workoutRoute] in try await store.locations(of: workoutRoute) }
  }

  /// The locations of one route. Iterating throws `HKError` errorNoData if the route is not in the store.
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
  /// Returns the locations of a stored route.
  func locations(of route: HKWorkoutRoute) async throws -> [CLLocation] {
    try await HKError.translating {
      guard let locations = try await admit(.read([route.sampleType])).locations(of: route.uuid) else {
        throw HKError(.errorNoData, reason: "the route is not in the store")
      }
      return locations.map(\.location)
    }
  }
}
