public import Foundation
import HealthStorage

/// Asks for the samples that match any of some predicates, once.
public struct HKSampleQueryDescriptor<Sample: HKSample>: Sendable {
  public var predicates: [HKSamplePredicate<Sample>]
  /// Start and end date are sorted by the store; any other property in memory, before the limit is applied.
  /// Samples that compare as equal, or all of them if this is empty, come by their start.
  public var sortDescriptors: [SortDescriptor<Sample>]
  /// nil for no limit.
  public var limit: Int?

  public init(
    predicates: [HKSamplePredicate<Sample>], sortDescriptors: [SortDescriptor<Sample>], limit: Int? = nil
  ) {
    self.predicates = predicates
    self.sortDescriptors = sortDescriptors
    self.limit = limit
  }

  /// One snapshot of the store. No sample of the sources is merged with another.
  /// - Throws: `HKError`; `CancellationError` if the task is cancelled.
  public func result(for store: HKHealthStore) async throws -> [Sample] {
    let question = try SampleQuestion(predicates)
    let limit = limit.flatMap { $0 == HKObjectQueryNoLimit ? nil : $0 }
    let order = sortDescriptors.compactMap { SampleOrder($0) }
    guard order.count == sortDescriptors.count else {
      let all: [Sample] = try await collect(question, [.start(ascending: true)], nil, store)
      return Array(all.sorted(using: sortDescriptors).prefix(limit ?? all.count))
    }
    return try await collect(question, order.isEmpty ? [.start(ascending: true)] : order, limit, store)
  }

  private func collect(
    _ question: SampleQuestion, _ order: [SampleOrder], _ limit: Int?, _ store: HKHealthStore
  ) async throws -> [Sample] {
    try await store.fold(into: [], question, order: order, limit: limit) {
      (samples: inout [Sample], sample: Sample) in samples.append(sample)
    }
  }
}
