public import CoreLocation
import Foundation

/// Asks for the places of a stored route, in the style of completion handlers.
// @unchecked: as for HKQuery.
public final class HKWorkoutRouteQuery: HKQuery, @unchecked Sendable {
  /// Some of the places in order of time, and whether they were the last. With an error the places are nil.
  public typealias DataHandler = @Sendable (HKWorkoutRouteQuery, [CLLocation]?, Bool, (any Error)?) -> Void

  /// How many places a call has at most.
  private static let batchSize = 1000

  private let route: HKWorkoutRoute
  private let dateInterval: DateInterval?
  private let handler: DataHandler

  /// - Parameter dataHandler: called for each batch of places; at least once.
  @preconcurrency
  public convenience init(route workoutRoute: HKWorkoutRoute, dataHandler: @escaping DataHandler) {
    self.init(workoutRoute, nil, dataHandler)
  }

  /// - Parameters:
  ///   - dateInterval: the places of this time, its end included.
  ///   - dataHandler: called for each batch of places; at least once.
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
