public import Foundation
import HealthStorage

/// A query that reads the samples that match any of the predicates, once.
public struct HKSampleQueryDescriptor<Sample: HKSample>: Sendable {
  public var predicates: [HKSamplePredicate<Sample>]
  /// The sort order. The store sorts by start and end date; other properties are sorted in memory before the
  /// limit is applied. Samples that compare as equal are ordered by start.
  public var sortDescriptors: [SortDescriptor<Sample>]
  /// The maximum number of samples; nil for no limit.
  public var limit: Int?

  public init(
    predicates: [HKSamplePredicate<Sample>], sortDescriptors: [SortDescriptor<Sample>], limit: Int? = nil
  ) {
    self.predicates = predicates
    self.sortDescriptors = sortDescriptors
    self.limit = limit
  }

  /// Returns the matching samples from one snapshot of the store. Samples of different sources are not
  /// merged.
  /// - Throws: `HKError`; `CancellationError` if the task is canceled.
  public func result(for store: HKHealthStore) async throws -> [Sample] {
    let request = try SampleRequest(predicates)
    let limit = limit.flatMap { $0 == HKObjectQueryNoLimit ? nil : $0 }
    let order = sortDescriptors.compactMap { SampleOrder($0) }
    guard order.count == sortDescriptors.count else {
      // The store can sort only by start and end. For other properties, read all samples, sort them in
      // memory, and then apply the limit.
      let all: [Sample] = try await collect(request, [.start(ascending: true)], nil, store)
      return Array(all.sorted(using: sortDescriptors).prefix(limit ?? all.count))
    }
    return try await collect(request, order.isEmpty ? [.start(ascending: true)] : order, limit, store)
  }

  private func collect(
    _ request: SampleRequest, _ order: [SampleOrder], _ limit: Int?, _ store: HKHealthStore
  ) async throws -> [Sample] {
    try await store.fold(into: [], request, order: order, limit: limit) {
      (samples: inout [Sample], sample: Sample) in samples.append(sample)
    }
  }
}

/// A query that returns one result.
public protocol HKAsyncQuery {
  associatedtype Output

  /// Returns the result from one snapshot of the store.
  func result(for store: HKHealthStore) async throws -> Output
}

/// A query that returns a sequence of results.
public protocol HKAsyncSequenceQuery {
  associatedtype Sequence: AsyncSequence

  func results(for store: HKHealthStore) -> Sequence
}

extension HKSampleQueryDescriptor: HKAsyncQuery {}
extension HKAnchoredObjectQueryDescriptor: HKAsyncQuery, HKAsyncSequenceQuery {}
extension HKStatisticsQueryDescriptor: HKAsyncQuery {}
extension HKStatisticsCollectionQueryDescriptor: HKAsyncQuery, HKAsyncSequenceQuery {}
extension HKSourceQueryDescriptor: HKAsyncQuery {}
extension HKHeartbeatSeriesQueryDescriptor: HKAsyncSequenceQuery {}
extension HKQuantitySeriesSampleQueryDescriptor: HKAsyncSequenceQuery {}
extension HKWorkoutRouteQueryDescriptor: HKAsyncSequenceQuery {}
extension HKElectrocardiogramQueryDescriptor: HKAsyncSequenceQuery {}
