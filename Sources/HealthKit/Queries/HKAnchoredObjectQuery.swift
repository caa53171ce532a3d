public import Foundation
import Synchronization

/// Of the form with numbers: from the beginning.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let HKAnchoredObjectQueryNoAnchor = 0

/// Asks for what was added and deleted since an anchor, in the style of completion handlers: once, or until
/// it is stopped.
// @unchecked: as for HKQuery.
open class HKAnchoredObjectQuery: HKQuery, @unchecked Sendable {
  /// With an error the other values are nil.
  public typealias ResultsHandler =
    @Sendable (HKAnchoredObjectQuery, [HKSample]?, [HKDeletedObject]?, HKQueryAnchor?, (any Error)?) -> Void

  private let question: Result<AnchoredQuestion, HKError>
  private let handler: ResultsHandler
  private let update = Mutex<ResultsHandler?>(nil)

  /// - Parameters:
  ///   - anchor: nil for everything from the beginning.
  ///   - limit: additions and deletions together; `HKObjectQueryNoLimit` for all.
  ///   - handler: called once, with what happened before the query was executed.
  @preconcurrency
  public init(
    type: HKSampleType, predicate: NSPredicate?, anchor: HKQueryAnchor?, limit: Int,
    resultsHandler handler: @escaping ResultsHandler
  ) {
    let translation = predicate.map(PredicateTranslation.init)
    question = Result { () throws(HKError) in
      AnchoredQuestion(try ChangeQuestion(type, translation), anchor, limit)
    }
    self.handler = handler
    super.init(type, translation)
  }

  /// As the first HealthKit had it, with numbers for anchors. They count within one store only.
  @available(*, deprecated, message: "use the form with an HKQueryAnchor")
  @preconcurrency
  public convenience init(
    type: HKSampleType, predicate: NSPredicate?, anchor: Int, limit: Int,
    completionHandler: @escaping @Sendable (HKAnchoredObjectQuery, [HKSample]?, Int, (any Error)?) -> Void
  ) {
    let start = anchor == HKAnchoredObjectQueryNoAnchor ? nil : HKQueryAnchor(fromValue: anchor)
    self.init(type: type, predicate: predicate, anchor: start, limit: limit) {
      query, samples, _, newAnchor, error in
      completionHandler(query, samples, newAnchor.map { Int($0.position) } ?? anchor, error)
    }
  }

  /// What matches any of the descriptors.
  @preconcurrency
  public init(
    queryDescriptors: [HKQueryDescriptor], anchor: HKQueryAnchor?, limit: Int,
    resultsHandler handler: @escaping ResultsHandler
  ) {
    question = Result { () throws(HKError) in
      AnchoredQuestion(try ChangeQuestion(queryDescriptors), anchor, limit)
    }
    self.handler = handler
    super.init(nil, nil)
  }

  /// Called with what happens after the first results, until the query is stopped; with an error the query is
  /// over. To be set before the query is executed. Traps if the query has a limit, as Apple's raises an
  /// exception.
  @preconcurrency
  public var updateHandler: ResultsHandler? {
    get { update.withLock { $0 } }
    set {
      checkIsNew("updateHandler")
      if newValue != nil, case .success(let question) = question, question.limit != nil {
        HKValidationError(.invalidArgument, "a query with a limit has no updates").raise()
      }
      update.withLock { $0 = newValue }
    }
  }

  override func run(in store: HKHealthStore) async {
    let update = updateHandler
    var handler = handler
    do {
      var follower = try AnchoredFollower(question.get(), in: store)
      while let answer = try await follower.next() {
        await deliver { [handler] in handler(self, answer.added, answer.deleted, answer.anchor, nil) }
        guard let update else { return }
        handler = update
      }
    } catch {
      await deliver { [handler] in handler(self, nil, nil, nil, error) }
    }
  }
}
