public import Foundation
import HealthStorage

/// A query that finds the sources of the matching samples and passes them to a handler.
// @unchecked: HKQuery is open. All state is `let`, Sendable or in a Mutex.
public final class HKSourceQuery: HKQuery, @unchecked Sendable {
  public typealias CompletionHandler = @Sendable (HKSourceQuery, Set<HKSource>?, (any Error)?) -> Void

  private let askedType: HKSampleType
  private let handler: CompletionHandler

  @preconcurrency
  public init(
    sampleType: HKSampleType, samplePredicate: NSPredicate?, completionHandler: @escaping CompletionHandler
  ) {
    askedType = sampleType
    handler = completionHandler
    super.init(sampleType, samplePredicate.map(PredicateTranslation.init))
  }

  override func run(in store: HKHealthStore) async {
    do {
      let sources = try await store.sources(SampleRequest(askedType, translation))
      await deliver { self.handler(self, Set(sources), nil) }
    } catch {
      await deliver { self.handler(self, nil, error) }
    }
  }
}

/// A query that finds the sources of the matching samples.
public struct HKSourceQueryDescriptor<Sample: HKSample>: Sendable {
  public var predicate: HKSamplePredicate<Sample>

  public init(predicate: HKSamplePredicate<Sample>) {
    self.predicate = predicate
  }

  /// Returns the sources with their latest names, ordered by bundle identifier.
  public func result(for store: HKHealthStore) async throws -> [HKSource] {
    try await store.sources(SampleRequest([predicate]))
  }
}

extension HKHealthStore {
  func sources(_ request: SampleRequest) async throws -> [HKSource] {
    do {
      return try await admit(.read(request.types)).sources(request.filter)
        .sorted { $0.bundleIdentifier < $1.bundleIdentifier }
        .map { HKSource($0) }
    } catch let failure as StorageError {
      throw HKError(failure)
    }
  }
}
