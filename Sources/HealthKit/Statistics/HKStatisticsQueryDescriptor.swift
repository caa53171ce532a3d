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

  /// Of what lies in a time, as in an interval of a collection: of a sample that reaches over its bounds the
  /// part inside counts. The neighbours of an instant weigh it from outside, where the predicate has them.
  ///
  /// (Not in Apple's framework.)
  /// - Parameters:
  ///   - start: nil leaves it open.
  ///   - end: later than `start`; nil leaves it open.
  /// - Returns: nil where no sample has a part in it.
  /// - Throws: `HKError`.
  package func result(
    for store: HKHealthStore, from start: Date?, to end: Date?
  ) async throws -> HKStatistics? {
    try await store.statistics(requiring(try question), from: start, to: end)
  }

  private var question: StatisticsQuestion {
    get throws(HKValidationError) {
      try StatisticsQuestion(predicate.sampleType, predicate.translation, options)
    }
  }
}
