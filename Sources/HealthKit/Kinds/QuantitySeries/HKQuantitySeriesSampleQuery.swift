public import Foundation
import HealthStorage
import Synchronization

/// A query that passes the quantities of samples to a handler, one by one.
///
/// For a series, the handler receives each quantity; for any other sample, its single quantity.
// @unchecked: HKQuery is open. All state is `let`, Sendable or in a Mutex.
public final class HKQuantitySeriesSampleQuery: HKQuery, @unchecked Sendable {
  /// The arguments are the query, a quantity, the time of its measurement, its sample if requested, whether
  /// this is the last call, and an error.
  ///
  /// The quantity, interval and sample are nil if there is an error or no quantity.
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

  /// Creates a query for the quantities of the matching samples.
  /// - Parameters:
  ///   - predicate: Selects samples. Every quantity of a matching series is delivered.
  ///   - quantityHandler: Called for each quantity, or once if there are none or an error occurs.
  @preconcurrency
  public init(
    quantityType: HKQuantityType, predicate: NSPredicate?, quantityHandler: @escaping QuantityHandler
  ) {
    askedType = quantityType
    mustBeThere = false
    handler = quantityHandler
    super.init(quantityType, predicate.map(PredicateTranslation.init))
  }

  /// Creates a query for the quantities of one sample. The handler receives the start of each quantity.
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

  /// Whether each quantity is passed with the sample that contains it. False by default; set it before
  /// executing the query.
  public var includeSample: Bool {
    get { settings.withLock { $0.includesSample } }
    set { settings.withLock { $0.includesSample = newValue } }
  }

  /// Whether quantities are ordered by the start of their sample. False by default: quantities are ordered by
  /// their own start. Set it before executing the query.
  public var orderByQuantitySampleStartDate: Bool {
    get { settings.withLock { $0.bySample } }
    set { settings.withLock { $0.bySample = newValue } }
  }

  override func run(in store: HKHealthStore) async {
    let settings = settings.withLock { $0 }
    do {
      let request = try QuantitySeriesRequest(
        askedType, translation, bySample: settings.bySample, includesSample: settings.includesSample)
      var reading = QuantitySeriesReading(request)
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
