public import Foundation
import HealthStorage

/// Asks for what was added and deleted since an anchor, once, in the style of completion handlers.
public final class HKAnchoredObjectQuery: HKQuery, @unchecked Sendable {
  // @unchecked: as for HKQuery.
  /// With an error the other values are nil.
  public typealias ResultsHandler =
    @Sendable (HKAnchoredObjectQuery, [HKSample]?, [HKDeletedObject]?, HKQueryAnchor?, (any Error)?) -> Void

  private let question: Result<AnchoredQuestion, HKError>
  private let handler: ResultsHandler

  /// - Parameters:
  ///   - anchor: nil for everything from the beginning.
  ///   - limit: additions and deletions together; `HKObjectQueryNoLimit` for all.
  ///   - handler: called once.
  public init(
    type: HKSampleType, predicate: NSPredicate?, anchor: HKQueryAnchor?, limit: Int,
    resultsHandler handler: @escaping ResultsHandler
  ) {
    let translation = predicate.map(PredicateTranslation.init)
    question = Result { () throws(HKError) in
      AnchoredQuestion([(type, try translation?.filter ?? .everything)], anchor, limit)
    }
    self.handler = handler
    super.init(type, predicate)
  }

  /// What matches any of the descriptors.
  public init(
    queryDescriptors: [HKQueryDescriptor], anchor: HKQueryAnchor?, limit: Int,
    resultsHandler handler: @escaping ResultsHandler
  ) {
    question = Result { () throws(HKError) in
      var filters: [(type: HKSampleType, filter: SampleFilter)] = []
      for descriptor in queryDescriptors {
        let translation = descriptor.predicate.map(PredicateTranslation.init)
        filters.append((descriptor.sampleType, try translation?.filter ?? .everything))
      }
      return AnchoredQuestion(filters, anchor, limit)
    }
    self.handler = handler
    super.init(nil, nil)
  }

  override func run(in store: HKHealthStore) async {
    do {
      let answer = try await store.changes(question.get())
      deliver { handler(self, answer.added, answer.deleted, answer.anchor, nil) }
    } catch {
      deliver { handler(self, nil, nil, nil, error) }
    }
  }
}
