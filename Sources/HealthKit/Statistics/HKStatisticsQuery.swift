public import Foundation

/// Asks for the statistics of the matching samples, in the style of completion handlers.
// @unchecked: as for HKQuery.
open class HKStatisticsQuery: HKQuery, @unchecked Sendable {
  public typealias CompletionHandler = @Sendable (HKStatisticsQuery, HKStatistics?, (any Error)?) -> Void

  private let question: StatisticsQuestion
  private let handler: CompletionHandler

  /// Traps if the options do not fit how the type aggregates.
  /// - Parameter completionHandler: called once; with errorNoData if nothing matches.
  @preconcurrency
  public init(
    quantityType: HKQuantityType, quantitySamplePredicate: NSPredicate?, options: HKStatisticsOptions = [],
    completionHandler: @escaping CompletionHandler
  ) {
    let translation = quantitySamplePredicate.map(PredicateTranslation.init)
    question = requiring(try StatisticsQuestion(quantityType, translation, options))
    handler = completionHandler
    super.init(quantityType, translation)
  }

  override func run(in store: HKHealthStore) async {
    do {
      let statistics = try await store.statistics(question)
      await deliver { self.handler(self, statistics, nil) }
    } catch {
      await deliver { self.handler(self, nil, error) }
    }
  }
}
