public import Foundation
import HealthStorage
import Synchronization

/// Asks for the quantities of samples one by one, with a completion handler: those of series, and of samples
/// that hold one.
// @unchecked: as for HKQuery.
public final class HKQuantitySeriesSampleQuery: HKQuery, @unchecked Sendable {
  /// A quantity, when it was measured, its sample if asked for, and whether this was the last call. The first
  /// three are nil with an error, or where there is no quantity.
  public typealias QuantityHandler =
    @Sendable (
      HKQuantitySeriesSampleQuery, HKQuantity?, DateInterval?, HKQuantitySample?, Bool, (any Error)?
    ) -> Void

  private struct Settings: Sendable {
    var includesSample = false
    var bySample = false
  }

  private let askedType: HKQuantityType
  private let mustBeThere: Bool
  private let handler: QuantityHandler
  private let settings = Mutex(Settings())

  /// - Parameters:
  ///   - predicate: which samples. Of a series that matches, every quantity comes.
  ///   - quantityHandler: called for each quantity; once if there are none, or with an error.
  @preconcurrency
  public init(
    quantityType: HKQuantityType, predicate: NSPredicate?, quantityHandler: @escaping QuantityHandler
  ) {
    askedType = quantityType
    mustBeThere = false
    handler = quantityHandler
    super.init(quantityType, predicate.map(PredicateTranslation.init))
  }

  /// Of one sample, with the start of each quantity.
  @available(*, deprecated, message: "use init(quantityType:predicate:quantityHandler:)")
  @preconcurrency
  public init(
    sample: HKQuantitySample,
    quantityHandler:
      @escaping @Sendable (
        HKQuantitySeriesSampleQuery, HKQuantity?, Date?, Bool, (any Error)?
      ) -> Void
  ) {
    askedType = sample.quantityType
    mustBeThere = true
    handler = { query, quantity, interval, _, done, error in
      quantityHandler(query, quantity, interval?.start, done, error)
    }
    super.init(sample.quantityType, .filter(.uuids([sample.uuid])))
  }

  /// Whether each quantity comes with the sample that holds it; false at first. To be set before the query is
  /// executed.
  public var includeSample: Bool {
    get { settings.withLock { $0.includesSample } }
    set { settings.withLock { $0.includesSample = newValue } }
  }

  /// Whether the quantities come sample by sample, in the order of the samples' starts. At first false: they
  /// come in the order of their own starts. Set it before the query is executed.
  public var orderByQuantitySampleStartDate: Bool {
    get { settings.withLock { $0.bySample } }
    set { settings.withLock { $0.bySample = newValue } }
  }

  override func run(in store: HKHealthStore) async {
    let settings = settings.withLock { $0 }
    do {
      let question = try QuantitySeriesQuestion(
        askedType, translation, bySample: settings.bySample, includesSample: settings.includesSample)
      var reading = QuantitySeriesReading(question)
      var isEmpty = true
      while !Task.isCancelled, let (result, isLast) = try await reading.next(in: store) {
        isEmpty = false
        await deliver { self.handler(self, result.quantity, result.dateInterval, result.sample, isLast, nil) }
      }
      guard isEmpty else { return }
      if mustBeThere { throw HKError(.errorNoData, reason: "the sample is not in the store") }
      await deliver { self.handler(self, nil, nil, nil, true, nil) }
    } catch {
      await deliver { self.handler(self, nil, nil, nil, true, error) }
    }
  }
}
