public import Foundation

/// Asks which sources saved matching samples, in the style of completion handlers.
// @unchecked: as for HKQuery.
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
      let sources = try await store.sources(SampleQuestion(askedType, translation))
      await deliver { self.handler(self, Set(sources), nil) }
    } catch {
      await deliver { self.handler(self, nil, error) }
    }
  }
}
