public import Foundation
import Synchronization

/// Asks for statistics of consecutive intervals, in the style of completion handlers.
public final class HKStatisticsCollectionQuery: HKQuery, @unchecked Sendable {
  // @unchecked: as for HKQuery.
  public typealias InitialResultsHandler =
    @Sendable (
      HKStatisticsCollectionQuery, HKStatisticsCollection?, (any Error)?
    ) -> Void

  public let anchorDate: Date
  public let options: HKStatisticsOptions
  public let intervalComponents: DateComponents
  private let question: StatisticsQuestion
  private let intervals: StatisticsIntervals
  private let handler = Mutex<InitialResultsHandler?>(nil)

  /// Called once with the statistics of all intervals. To be set before the query is executed.
  public var initialResultsHandler: InitialResultsHandler? {
    get { handler.withLock { $0 } }
    set { handler.withLock { $0 = newValue } }
  }

  /// Traps if the options do not fit how the type aggregates, or the components are not a positive time.
  public init(
    quantityType: HKQuantityType, quantitySamplePredicate: NSPredicate?, options: HKStatisticsOptions = [],
    anchorDate: Date, intervalComponents: DateComponents
  ) {
    self.anchorDate = anchorDate
    self.options = options
    self.intervalComponents = intervalComponents
    let translation = quantitySamplePredicate.map(PredicateTranslation.init)
    (question, intervals) = requiring(
      (
        try StatisticsQuestion(quantityType, translation, options),
        try StatisticsIntervals(anchor: anchorDate, components: intervalComponents)
      ))
    super.init(quantityType, quantitySamplePredicate)
  }

  override func run(in store: HKHealthStore) async {
    let handler = initialResultsHandler
    do {
      let collection = try await store.statisticsCollection(question, intervals)
      deliver { handler?(self, collection, nil) }
    } catch {
      deliver { handler?(self, nil, error) }
    }
  }
}
