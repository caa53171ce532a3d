import Foundation
import HealthStorage

/// The parameters of an effort query: the workouts to match, the anchor and the options.
struct EffortRequest: Sendable {
  let workouts: SampleRequest
  var anchor: HKQueryAnchor?
  let options: HKWorkoutEffortRelationshipQueryOptions

  init(
    _ predicate: PredicateTranslation?, _ anchor: HKQueryAnchor?,
    _ options: HKWorkoutEffortRelationshipQueryOptions
  ) throws(HKError) {
    workouts = try SampleRequest(.workoutType(), predicate)
    self.anchor = anchor
    self.options = options
  }

  /// The types that the query reads: both types of effort and workouts.
  var types: Set<HKObjectType> { Set(Effort.types).union([.workoutType()]) }
}

struct EffortResult: Sendable {
  let relationships: [HKWorkoutEffortRelationship]
  let anchor: HKQueryAnchor
}

extension HKHealthStore {
  /// Returns the effort relationships that are newer than the anchor.
  /// - Throws: `HKError` errorAuthorizationNotDetermined if the program did not request permission to read
  ///   workouts and both types of effort.
  func effort(_ request: EffortRequest) async throws -> EffortResult {
    try await HKError.translating {
      let changes = try await admit(.read(request.types)).relations(
        of: request.workouts.filter, with: Effort.filter, after: request.anchor?.position ?? 0,
        of: request.anchor?.store)
      var assembly = SampleAssembly()
      return EffortResult(
        relationships: try changes.relations.compactMap { try relationship($0, request.options, &assembly) },
        anchor: HKQueryAnchor(position: changes.position, store: changes.store))
    }
  }

  /// Creates a relationship from its stored record. Returns nil if the record refers to an activity that the
  /// stored version of the workout does not have.
  private func relationship(
    _ record: RelationRecord, _ options: HKWorkoutEffortRelationshipQueryOptions,
    _ assembly: inout SampleAssembly
  ) throws -> HKWorkoutEffortRelationship? {
    guard let workout = try assembly.sample(record.container) as? HKWorkout else { return nil }
    let activity = workout.workoutActivities.first { $0.uuid == record.part }
    guard record.part == nil || activity != nil else { return nil }
    let samples = try record.members.map { try assembly.sample($0) }
    let relevant =
      switch options {
      case .default: samples
      case .mostRelevant: Effort.mostRelevant(samples).map { [$0] } ?? []
      }
    return HKWorkoutEffortRelationship(workout: workout, activity: activity, samples: relevant)
  }
}

// MARK: - Updates

/// Runs an effort query, and then waits for relationships that are stored later.
struct EffortFollower: ResultObserver {
  private let store: HKHealthStore
  private var request: EffortRequest
  private var ticks: AsyncStream<Void>.Iterator
  private var isFirst = true

  /// Subscribes to changes. The first `next()` runs the query.
  /// - Throws: `HKError` errorAuthorizationDenied for a program without the entitlement;
  ///   errorDatabaseInaccessible.
  init(_ request: EffortRequest, in store: HKHealthStore) throws {
    self.store = store
    self.request = request
    ticks = try store.admit(.read(request.types)).commits().makeAsyncIterator()
  }

  /// Returns the current relationships on the first call, even if there are none. Later calls wait until
  /// there are newer ones.
  /// - Returns: Nil after the task is canceled.
  mutating func next() async throws -> EffortResult? {
    while !Task.isCancelled {
      if !isFirst, await ticks.next() == nil { return nil }
      let (store, next) = (store, request)
      let result =
        isFirst
        ? try await store.effort(next) : try await HKError.waitingWhileLocked { try await store.effort(next) }
      request.anchor = result.anchor
      defer { isFirst = false }
      if isFirst || !result.relationships.isEmpty { return result }
    }
    return nil
  }
}
