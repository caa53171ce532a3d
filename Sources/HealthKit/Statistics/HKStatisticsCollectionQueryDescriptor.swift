public import Foundation

/// Asks for statistics of consecutive intervals, once or again and again.
public struct HKStatisticsCollectionQueryDescriptor: Sendable {
  /// The statistics as they are, and what of them is new.
  public struct Result: Sendable {
    public let statisticsCollection: HKStatisticsCollection
    /// The statistics, in order, that differ from the last result; nil in the first. An interval that has
    /// lost all its samples has no quantities.
    public let updatedStatistics: [HKStatistics]?
  }

  public var predicate: HKSamplePredicate<HKQuantitySample>
  public var options: HKStatisticsOptions
  /// Where one of the intervals begins; they reach in both directions from here.
  public var anchorDate: Date
  /// How long an interval is. Days and more follow the calendar of the components, else the current one.
  public var intervalComponents: DateComponents

  /// Traps if the options do not fit how the type aggregates, or the components are not a positive time.
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

  /// The collection is empty if nothing matches.
  public func result(for store: HKHealthStore) async throws -> HKStatisticsCollection {
    let (question, intervals) = requiring(try parts)
    return try await store.statisticsCollection(question, intervals)
  }

  /// At first all statistics, then again whenever some have changed, until the task is cancelled.
  public func results(for store: HKHealthStore) -> Results {
    Results {
      let (question, intervals) = requiring(try parts)
      return try await StatisticsFollower(question, intervals, in: store)
    }
  }

  private var parts: (StatisticsQuestion, StatisticsIntervals) {
    get throws(HKValidationError) {
      (
        try StatisticsQuestion(predicate.sampleType, predicate.translation, options),
        try StatisticsIntervals(anchor: anchorDate, components: intervalComponents)
      )
    }
  }

  /// The statistics, again and again. Throws `HKError` as `result(for:)` does.
  public struct Results: AsyncSequence, Sendable {
    public typealias Element = Result

    fileprivate let follow: @Sendable () async throws -> StatisticsFollower

    public func makeAsyncIterator() -> Iterator {
      Iterator(follower: LateFollower(follow))
    }

    public struct Iterator: AsyncIteratorProtocol {
      fileprivate var follower: LateFollower<StatisticsFollower>

      /// nil once the task is cancelled.
      public mutating func next() async throws -> Result? {
        try await follower.next().map {
          Result(statisticsCollection: $0.collection, updatedStatistics: $0.updated)
        }
      }
    }
  }
}
