public import Foundation
import HealthStorage

/// A query for the quantities of samples, one by one.
///
/// For a series, the results contain each quantity; for any other sample, its single quantity.
public struct HKQuantitySeriesSampleQueryDescriptor: Sendable {
  /// Options for the contents and order of the results.
  public struct Options: OptionSet, Hashable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
      self.rawValue = rawValue
    }

    /// Includes the sample that contains the quantity in each result.
    public static let includeSample = Options(rawValue: 1)
    /// Orders quantities by the start of their sample. Without it, they are ordered by their own start.
    public static let orderByQuantitySampleStartDate = Options(rawValue: 2)
  }

  /// A quantity of a sample.
  public struct Result: Sendable {
    public let quantity: HKQuantity
    /// When the quantity was measured.
    public let dateInterval: DateInterval
    /// The sample that contains the quantity; nil without the option `includeSample`.
    public let sample: HKQuantitySample?
  }

  /// Selects samples. Every quantity of a matching series is returned.
  public var predicate: HKSamplePredicate<HKQuantitySample>
  public var options: Options

  public init(predicate: HKSamplePredicate<HKQuantitySample>, options: Options = []) {
    self.predicate = predicate
    self.options = options
  }

  /// Returns the quantities, read from the store in pages as the sequence is iterated.
  public func results(for store: HKHealthStore) -> Results {
    Results(descriptor: self, store: store)
  }

  /// The quantities of the matching samples.
  public struct Results: AsyncSequence, Sendable {
    public typealias Element = Result

    fileprivate let descriptor: HKQuantitySeriesSampleQueryDescriptor
    fileprivate let store: HKHealthStore

    public func makeAsyncIterator() -> Iterator {
      Iterator(descriptor: descriptor, store: store)
    }

    public struct Iterator: AsyncIteratorProtocol {
      fileprivate let descriptor: HKQuantitySeriesSampleQueryDescriptor
      fileprivate let store: HKHealthStore
      private var reading: QuantitySeriesReading?

      fileprivate init(descriptor: HKQuantitySeriesSampleQueryDescriptor, store: HKHealthStore) {
        self.descriptor = descriptor
        self.store = store
      }

      /// Returns the next quantity, or nil at the end.
      /// - Throws: `HKError`; `CancellationError` if the task is canceled.
      public mutating func next() async throws -> Result? {
        try Task.checkCancellation()
        var reading = try reading ?? QuantitySeriesReading(descriptor.request)
        defer { self.reading = reading }
        return try await reading.next(in: store)?.result
      }
    }
  }

  private var request: QuantitySeriesRequest {
    get throws(HKError) {
      try QuantitySeriesRequest(
        predicate.sampleType, predicate.translation,
        bySample: options.contains(.orderByQuantitySampleStartDate),
        includesSample: options.contains(.includeSample))
    }
  }
}
