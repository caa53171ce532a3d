public import Foundation
import HealthStorage

/// A query that calculates statistics of consecutive intervals, once or continuously.
public struct HKStatisticsCollectionQueryDescriptor: Sendable {
  /// The current statistics and their changes since the previous result.
  public struct Result: Sendable {
    public let statisticsCollection: HKStatisticsCollection
    /// The statistics that differ from the previous result, in order; nil in the first result. If an interval
    /// no longer has samples, the quantities of its statistics are nil.
    public let updatedStatistics: [HKStatistics]?
  }

  public var predicate: HKSamplePredicate<HKQuantitySample>
  public var options: HKStatisticsOptions
  /// The start of one of the intervals. There are further intervals before and after it.
  public var anchorDate: Date
  /// The length of an interval. Days and longer units follow the calendar of the components, or the current
  /// calendar if they have none.
  public var intervalComponents: DateComponents

  /// Creates a query.
  ///
  /// Traps if the options do not match the aggregation style of the type, or the components do not add up to
  /// a positive duration.
  public init(
    predicate: HKSamplePredicate<HKQuantitySample>, options: HKStatisticsOptions, anchorDate: Date,
    intervalComponents: DateComponents
  ) {
    self.predicate = predicate
    self.options = options
    self.anchorDate = anchorDate
    self.intervalComponents = intervalComponents
    _ = requiring(try parts)
  }

  /// Returns the statistics. The collection is empty if no sample matches.
  public func result(for store: HKHealthStore) async throws -> HKStatisticsCollection {
    let (request, intervals) = requiring(try parts)
    return try await store.statisticsCollection(request, intervals)
  }

  /// Returns a sequence whose elements contain all statistics: first the current ones, then again after each
  /// change. It ends when the task is canceled.
  public func results(for store: HKHealthStore) -> Results {
    Results {
      let (request, intervals) = requiring(try parts)
      return try await StatisticsFollower(request, intervals, in: store)
    }
  }

  private var parts: (StatisticsRequest, StatisticsIntervals) {
    get throws(HKValidationError) {
      (
        try StatisticsRequest(predicate.sampleType, predicate.translation, options),
        try StatisticsIntervals(anchor: anchorDate, components: intervalComponents)
      )
    }
  }

  /// The statistics and their updates. Iterating throws the errors of `result(for:)`.
  public struct Results: AsyncSequence, Sendable {
    public typealias Element = Result

    fileprivate let follow: @Sendable () async throws -> StatisticsFollower

    public func makeAsyncIterator() -> Iterator {
      Iterator(follower: LateFollower(follow))
    }

    public struct Iterator: AsyncIteratorProtocol {
      fileprivate var follower: LateFollower<StatisticsFollower>

      /// Returns the next result, or nil after the task is canceled.
      public mutating func next() async throws -> Result? {
        try await follower.next().map {
          Result(statisticsCollection: $0.collection, updatedStatistics: $0.updated)
        }
      }
    }
  }
}

// MARK: - Updates

/// Computes a statistics collection, and computes it again when the matching samples change.
struct StatisticsFollower: ResultObserver {
  struct CollectionResult {
    var collection: HKStatisticsCollection
    /// The statistics that differ from the previous result, in order; nil in the first result. If an interval
    /// no longer has samples, the quantities of its statistics are nil.
    var updated: [HKStatistics]?
  }

  private let store: HKHealthStore
  private let request: StatisticsRequest
  private let intervals: StatisticsIntervals
  private var changes: ChangeFollower
  private var latest: HKStatisticsCollection?

  /// Subscribes to changes. The first `next()` calculates the collection.
  /// - Throws: `HKError` if the type may not be read.
  init(_ request: StatisticsRequest, _ intervals: StatisticsIntervals, in store: HKHealthStore) async throws {
    self.store = store
    self.request = request
    self.intervals = intervals
    // Subscribe to changes before the first computation, so that no change in between is missed.
    changes = try await ChangeFollower(
      ChangeRequest(request.type, request.predicate),
      or: { [type = request.type.identifier] in
        try await $0.chosenSources(ofType: type).map(String.init)
      }, in: store)
  }

  /// Returns the current collection on the first call. Later calls wait until some statistics have changed.
  /// - Returns: Nil after the task is canceled.
  mutating func next() async throws -> CollectionResult? {
    guard var earlier = latest else {
      let collection = try await store.statisticsCollection(request, intervals)
      latest = collection
      return CollectionResult(collection: collection)
    }
    let (store, request, intervals) = (store, request, intervals)
    while try await changes.next() != nil {
      let collection = try await HKError.waitingWhileLocked {
        try await store.statisticsCollection(request, intervals)
      }
      let updated = collection.differences(from: earlier)
      earlier = collection
      latest = collection
      if !updated.isEmpty { return CollectionResult(collection: collection, updated: updated) }
    }
    return nil
  }
}
