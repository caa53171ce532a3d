public import CoreLocation
import Foundation
import HealthStorage
import Synchronization

/// A builder that collects the locations of a workout and saves them as its route.
///
/// If the process ends before `finishRoute`, the collected locations are lost. An `HKWorkoutBuilder` finishes
/// the route builders that it created.
// @unchecked: HKSeriesBuilder is not final. All state is `let`, Sendable or in a Mutex.
public final class HKWorkoutRouteBuilder: HKSeriesBuilder, @unchecked Sendable {
  private let store: HKHealthStore
  private let device: HKDevice?
  private let belongsToWorkoutBuilder: Bool
  private let gathering = Mutex(SeriesGathering(Gathering()))

  /// The locations and metadata collected so far.
  struct Gathering: Sendable {
    var locations: [LocationRecord] = []
    var metadata: [String: MetadataValue] = [:]
  }

  public convenience init(healthStore: HKHealthStore, device: HKDevice?) {
    self.init(healthStore, device, belongsToWorkoutBuilder: false)
  }

  init(_ store: HKHealthStore, _ device: HKDevice?, belongsToWorkoutBuilder: Bool) {
    self.store = store
    self.device = device
    self.belongsToWorkoutBuilder = belongsToWorkoutBuilder
    super.init()
  }

  /// Adds locations in any order.
  /// - Throws: `HKError` errorInvalidArgument if a coordinate is invalid or a timestamp is out of range. In
  ///   that case no location is added.
  public func insertRouteData(_ routeData: [CLLocation]) async throws {
    try insert(routeData)
  }

  /// Adds metadata. If a key is added twice, the later value wins. If an error is thrown, the metadata is
  /// unchanged.
  public func addMetadata(_ metadata: [String: Any]) async throws {
    try add(metadata)
  }

  /// Saves the route and associates it with the workout. If that fails, the builder is unchanged.
  /// - Parameters:
  ///   - workout: A workout that is already stored.
  ///   - metadata: Added to the metadata of the builder.
  /// - Returns: The route. Its locations are only in the store.
  /// - Throws: `HKError` errorInvalidArgument if there are no locations or the workout is not stored;
  ///   otherwise the errors of `HKHealthStore.save(_:)`.
  public func finishRoute(with workout: HKWorkout, metadata: [String: Any]?) async throws -> HKWorkoutRoute {
    try await finish(workout, try MetadataValue.values(metadata ?? [:]))
  }

  public override func discard() {
    gathering.withLock { $0.end() }
  }

  private func finish(_ workout: HKWorkout, _ metadata: [String: MetadataValue]) async throws
    -> HKWorkoutRoute
  {
    guard !belongsToWorkoutBuilder else {
      throw HKError(
        .errorInvalidArgument,
        reason: "this route builder belongs to a workout builder, which finishes the route itself")
    }
    let gathered = try gathering.withLock { gathering throws(HKError) in try gathering.beginFinishing() }
    do {
      let route = try Self.route(gathered, device, adding: metadata)
      try await store.save([route], associating: [route.uuid], with: workout)
      discard()
      return route
    } catch {
      finishFailed()
      throw error
    }
  }

  /// Returns the route that the workout builder saves, or nil if it has no locations or was discarded. From
  /// then on, no location can be added unless the workout builder calls `finishFailed()`.
  func beginFinishing() throws(HKError) -> HKWorkoutRoute? {
    let gathered = try gathering.withLock { gathering throws(HKError) in
      gathering.isOver ? nil : try gathering.beginFinishing()
    }
    guard let gathered, !gathered.locations.isEmpty else { return nil }
    return try Self.route(gathered, device, adding: [:])
  }

  func finishFailed() {
    gathering.withLock { $0.finishFailed() }
  }

  private static func route(
    _ gathered: Gathering, _ device: HKDevice?, adding metadata: [String: MetadataValue]
  ) throws(HKError) -> HKWorkoutRoute {
    do {
      let values = gathered.metadata.merging(metadata) { $1 }
      return try HKWorkoutRoute(
        gathered.locations, device: device,
        metadata: values.isEmpty ? nil : try ObjectMetadata(checking: values))
    } catch {
      throw HKError(invalid: error)
    }
  }

  private func insert(_ locations: [CLLocation]) throws(HKError) {
    guard
      locations.allSatisfy({
        CLLocationCoordinate2DIsValid($0.coordinate) && Microseconds.of($0.timestamp) != nil
      })
    else { throw HKError(.errorInvalidArgument, reason: "a location needs a valid coordinate and time") }
    let records = locations.map { LocationRecord($0) }
    try gathering.withLock { gathering throws(HKError) in
      try gathering.change { content throws(HKError) in content.locations += records }
    }
  }

  private func add(_ metadata: [String: Any]) throws(HKError) {
    let values = try MetadataValue.values(metadata)
    try gathering.withLock { gathering throws(HKError) in
      try gathering.change { content throws(HKError) in content.metadata.merge(values) { $1 } }
    }
  }
}

// MARK: - Completion handlers

extension HKWorkoutRouteBuilder {
  /// Completion-handler version of `insertRouteData(_:)`.
  @preconcurrency
  public func insertRouteData(
    _ routeData: [CLLocation], completion: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    report(Result { () throws(HKError) in try insert(routeData) }, to: completion)
  }

  /// Completion-handler version of `addMetadata(_:)`.
  @preconcurrency
  public func addMetadata(
    _ metadata: [String: Any], completion: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    report(Result { () throws(HKError) in try add(metadata) }, to: completion)
  }

  /// Completion-handler version of `finishRoute(with:metadata:)`.
  @preconcurrency
  public func finishRoute(
    with workout: HKWorkout, metadata: [String: Any]?,
    completion: @escaping @Sendable (HKWorkoutRoute?, (any Error)?) -> Void
  ) {
    let metadata = Result { () throws(HKError) in try MetadataValue.values(metadata ?? [:]) }
    // Start an unstructured task, because this function is not async.
    Task {
      do {
        completion(try await finish(workout, metadata.get()), nil)
      } catch {
        completion(nil, error)
      }
    }
  }
}
