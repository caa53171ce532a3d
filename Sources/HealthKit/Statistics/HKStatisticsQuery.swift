public import Foundation

/// A query that calculates the statistics of the matching samples and passes them to a handler. The formulas
/// are in <doc:Statistics>.
// @unchecked: HKQuery is open. All state is `let`, Sendable or in a Mutex.
open class HKStatisticsQuery: HKQuery, @unchecked Sendable {
  public typealias CompletionHandler = @Sendable (HKStatisticsQuery, HKStatistics?, (any Error)?) -> Void

  private let request: StatisticsRequest
  private let handler: CompletionHandler

  /// Creates a query.
  ///
  /// Traps if the options do not match the aggregation style of the type.
  /// - Parameter completionHandler: Called once; with errorNoData if no sample matches.
  @preconcurrency
  public init(
    quantityType: HKQuantityType, quantitySamplePredicate: NSPredicate?, options: HKStatisticsOptions = [],
    completionHandler: @escaping CompletionHandler
  ) {
    let translation = quantitySamplePredicate.map(PredicateTranslation.init)
    request = requiring(try StatisticsRequest(quantityType, translation, options))
    handler = completionHandler
    super.init(quantityType, translation)
  }

  override func run(in store: HKHealthStore) async {
    do {
      let statistics = try await store.statistics(request)
      await deliver { self.handler(self, statistics, nil) }
    } catch {
      await deliver { self.handler(self, nil, error) }
    }
  }
}

/// A query that calculates the statistics of the matching samples. The formulas are in <doc:Statistics>.
public struct HKStatisticsQueryDescriptor: Sendable {
  public var predicate: HKSamplePredicate<HKQuantitySample>
  public var options: HKStatisticsOptions

  /// Creates a query.
  ///
  /// Traps if the options do not match the aggregation style of the type.
  public init(predicate: HKSamplePredicate<HKQuantitySample>, options: HKStatisticsOptions) {
    self.predicate = predicate
    self.options = options
    _ = requiring(try request)
  }

  /// Returns the statistics of the matching samples.
  /// - Throws: `HKError` errorNoData if no sample matches.
  public func result(for store: HKHealthStore) async throws -> HKStatistics? {
    try await store.statistics(requiring(try request))
  }

  /// Returns the statistics of a time range, computed as for an interval of a collection.
  ///
  /// If a sample extends beyond the range, only the part inside counts. The weight of an instantaneous sample
  /// may depend on neighbors outside the range, if they match the predicate. (Not part of Apple's framework.)
  /// - Parameters:
  ///   - start: The start of the range; nil for no lower bound.
  ///   - end: The end of the range, later than `start`; nil for no upper bound.
  /// - Returns: Nil if no sample overlaps the range.
  /// - Throws: `HKError`.
  package func result(
    for store: HKHealthStore, from start: Date?, to end: Date?
  ) async throws -> HKStatistics? {
    try await store.statistics(requiring(try request), from: start, to: end)
  }

  private var request: StatisticsRequest {
    get throws(HKValidationError) {
      try StatisticsRequest(predicate.sampleType, predicate.translation, options)
    }
  }
}
