import Foundation

/// Asks for the statistics of the matching samples.
public struct HKStatisticsQueryDescriptor: Sendable {
  public var predicate: HKSamplePredicate<HKQuantitySample>
  public var options: HKStatisticsOptions

  /// Traps if the options do not fit how the type aggregates.
  public init(predicate: HKSamplePredicate<HKQuantitySample>, options: HKStatisticsOptions) {
    self.predicate = predicate
    self.options = options
    _ = requiring(try question)
  }

  /// - Throws: `HKError`, errorNoData if nothing matches.
  public func result(for store: HKHealthStore) async throws -> HKStatistics? {
    try await store.statistics(requiring(try question))
  }

  private var question: StatisticsQuestion {
    get throws(HKValidationError) {
      try StatisticsQuestion(predicate.sampleType, predicate.translation, options)
    }
  }
}
