public import Foundation
import HealthStorage

/// Asks for the quantities of samples one by one: those of series, and of samples that hold one.
public struct HKQuantitySeriesSampleQueryDescriptor: Sendable {
  /// What comes with the quantities, and in which order.
  public struct Options: OptionSet, Hashable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
      self.rawValue = rawValue
    }

    /// Each quantity comes with the sample that holds it.
    public static let includeSample = Options(rawValue: 1)
    /// Sample by sample, in the order of the samples' starts. Without it all quantities come in the order of
    /// their own.
    public static let orderByQuantitySampleStartDate = Options(rawValue: 2)
  }

  /// A quantity of a sample.
  public struct Result: Sendable {
    public let quantity: HKQuantity
    /// When it was measured.
    public let dateInterval: DateInterval
    /// nil unless `includeSample` was asked for.
    public let sample: HKQuantitySample?
  }

  /// Which samples. Of a series that matches, every quantity comes.
  public var predicate: HKSamplePredicate<HKQuantitySample>
  public var options: Options

  public init(predicate: HKSamplePredicate<HKQuantitySample>, options: Options = []) {
    self.predicate = predicate
    self.options = options
  }

  /// The quantities, read from the store some thousands at a time as they are asked for.
  public func results(for store: HKHealthStore) -> Results {
    Results(descriptor: self, store: store)
  }

  /// The quantities that were asked for.
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

      /// - Throws: `HKError`; `CancellationError` if the task is cancelled.
      public mutating func next() async throws -> Result? {
        try Task.checkCancellation()
        var reading = try reading ?? QuantitySeriesReading(descriptor.question)
        defer { self.reading = reading }
        return try await reading.next(in: store)?.result
      }
    }
  }

  private var question: QuantitySeriesQuestion {
    get throws(HKError) {
      try QuantitySeriesQuestion(
        predicate.sampleType, predicate.translation,
        bySample: options.contains(.orderByQuantitySampleStartDate),
        includesSample: options.contains(.includeSample))
    }
  }
}
