public import Foundation
import HealthStorage

/// A query that reads correlations once, optionally filtered by the samples they contain.
// @unchecked: HKQuery is open. All state is `let`, Sendable or in a Mutex.
public final class HKCorrelationQuery: HKQuery, @unchecked Sendable {
  public typealias CompletionHandler = @Sendable (HKCorrelationQuery, [HKCorrelation]?, (any Error)?) -> Void

  public let correlationType: HKCorrelationType
  private let sampleTranslations: [HKSampleType: PredicateTranslation]?
  private let request: Result<SampleRequest, HKError>
  private let handler: CompletionHandler

  /// Creates a query.
  /// - Parameters:
  ///   - samplePredicates: Predicates by sample type. For each of them, a correlation must contain a sample
  ///     of the type that matches. Samples of other types are not restricted.
  ///   - completion: Called once with the correlations ordered by start, or with an error.
  @preconcurrency
  public init(
    type correlationType: HKCorrelationType, predicate: NSPredicate?,
    samplePredicates: [HKSampleType: NSPredicate]?, completion: @escaping CompletionHandler
  ) {
    let translation = predicate.map(PredicateTranslation.init)
    let samples = samplePredicates?.mapValues(PredicateTranslation.init)
    self.correlationType = correlationType
    sampleTranslations = samples
    handler = completion
    request = Result { () throws(HKError) in
      try SampleRequest(correlationType, translation, holding: samples ?? [:])
    }
    super.init(correlationType, translation)
  }

  /// Predicates that are equivalent to those passed to the initializer.
  public var samplePredicates: [HKSampleType: NSPredicate]? {
    sampleTranslations?.compactMapValues(\.predicate)
  }

  override func run(in store: HKHealthStore) async {
    do {
      let correlations: [HKCorrelation] = try await store.fold(
        into: [], request.get(), order: [.start(ascending: true)], limit: nil
      ) { (correlations: inout [HKCorrelation], correlation: HKCorrelation) in
        correlations.append(correlation)
      }
      await deliver { self.handler(self, correlations, nil) }
    } catch {
      await deliver { self.handler(self, nil, error) }
    }
  }
}

extension SampleRequest {
  fileprivate init(
    _ type: HKCorrelationType, _ predicate: PredicateTranslation?,
    holding samples: [HKSampleType: PredicateTranslation]
  ) throws(HKError) {
    var parts = [try SampleFilter.samples(of: type, predicate)]
    for (type, predicate) in samples { parts.append(.holding(try .samples(of: type, predicate))) }
    self.init(types: [type], filter: .all(parts))
  }
}
