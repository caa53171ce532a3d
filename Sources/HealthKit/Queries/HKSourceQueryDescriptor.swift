import Foundation
import HealthStorage

/// Asks which sources saved matching samples.
public struct HKSourceQueryDescriptor<Sample: HKSample>: Sendable {
  public var predicate: HKSamplePredicate<Sample>

  public init(predicate: HKSamplePredicate<Sample>) {
    self.predicate = predicate
  }

  /// The sources under their latest names, in the order of their bundle identifiers.
  public func result(for store: HKHealthStore) async throws -> [HKSource] {
    try await store.sources(SampleQuestion([predicate]))
  }
}

extension HKHealthStore {
  func sources(_ question: SampleQuestion) async throws -> [HKSource] {
    do {
      return try await admit(.read(question.types)).sources(question.filter)
        .sorted { $0.bundleIdentifier < $1.bundleIdentifier }
        .map { HKSource($0) }
    } catch let failure as StorageFailure {
      throw HKError(failure)
    }
  }
}
