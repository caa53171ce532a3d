public import Foundation
import Synchronization

/// A query that calculates statistics of consecutive intervals and passes them to a handler, once or until it
/// is stopped.
// @unchecked: HKQuery is open. All state is `let`, Sendable or in a Mutex.
open class HKStatisticsCollectionQuery: HKQuery, @unchecked Sendable {
  /// The arguments are the query, the collection and an error. If there is an error, the collection is nil.
  public typealias InitialResultsHandler =
    @Sendable (HKStatisticsCollectionQuery, HKStatisticsCollection?, (any Error)?) -> Void
  /// The arguments are the query, the changed statistics, the new collection and an error. If there is an
  /// error, the other values are nil.
  public typealias StatisticsUpdateHandler =
    @Sendable (HKStatisticsCollectionQuery, HKStatistics?, HKStatisticsCollection?, (any Error)?) -> Void

  public let anchorDate: Date
  public let options: HKStatisticsOptions
  public let intervalComponents: DateComponents
  private let request: StatisticsRequest
  private let intervals: StatisticsIntervals
  private let initial = Mutex<InitialResultsHandler?>(nil)
  private let update = Mutex<StatisticsUpdateHandler?>(nil)

  /// Creates a query.
  ///
  /// Traps if the options do not match the aggregation style of the type, or the components do not add up to
  /// a positive duration.
  public init(
    quantityType: HKQuantityType, quantitySamplePredicate: NSPredicate?, options: HKStatisticsOptions = [],
    anchorDate: Date, intervalComponents: DateComponents
  ) {
    self.anchorDate = anchorDate
    self.options = options
    self.intervalComponents = intervalComponents
    let translation = quantitySamplePredicate.map(PredicateTranslation.init)
    (request, intervals) = requiring(
      (
        try StatisticsRequest(quantityType, translation, options),
        try StatisticsIntervals(anchor: anchorDate, components: intervalComponents)
      ))
    super.init(quantityType, translation)
  }

  /// Called once with the statistics of all intervals. Set it before executing the query.
  @preconcurrency
  public var initialResultsHandler: InitialResultsHandler? {
    get { initial.withLock { $0 } }
    set {
      checkIsNew("initialResultsHandler")
      initial.withLock { $0 = newValue }
    }
  }

  /// Called for each interval whose statistics have changed, until the query is stopped. Set it before
  /// executing the query.
  ///
  /// The query ends after an error. Samples saved in quick succession may be reported as one change.
  @preconcurrency
  public var statisticsUpdateHandler: StatisticsUpdateHandler? {
    get { update.withLock { $0 } }
    set {
      checkIsNew("statisticsUpdateHandler")
      update.withLock { $0 = newValue }
    }
  }

  override func run(in store: HKHealthStore) async {
    guard let update = statisticsUpdateHandler else { return await result(in: store) }
    do {
      var follower = try await StatisticsFollower(request, intervals, in: store)
      guard let first = try await follower.next() else { return }
      await deliver { self.initialResultsHandler?(self, first.collection, nil) }
      await follow(&follower, update)
    } catch {
      await deliver { self.initialResultsHandler?(self, nil, error) }
    }
  }

  private func result(in store: HKHealthStore) async {
    let handler = initialResultsHandler
    do {
      let collection = try await store.statisticsCollection(request, intervals)
      await deliver { handler?(self, collection, nil) }
    } catch {
      await deliver { handler?(self, nil, error) }
    }
  }

  private func follow(_ follower: inout StatisticsFollower, _ handler: @escaping StatisticsUpdateHandler)
    async
  {
    do {
      while let result = try await follower.next() {
        for statistics in result.updated ?? [] {
          await deliver { handler(self, statistics, result.collection, nil) }
        }
      }
    } catch {
      await deliver { handler(self, nil, nil, error) }
    }
  }
}
