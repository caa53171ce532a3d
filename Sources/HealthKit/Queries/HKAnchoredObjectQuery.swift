public import Foundation
import Synchronization

/// The integer anchor for all changes from the beginning.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let HKAnchoredObjectQueryNoAnchor = 0

/// A query for the samples that were added and deleted since an anchor. It passes them to a handler, once or
/// until it is stopped.
// @unchecked: HKQuery is open. All state is `let`, Sendable or in a Mutex.
open class HKAnchoredObjectQuery: HKQuery, @unchecked Sendable {
  /// The arguments are the query, added samples, deleted objects, the new anchor and an error. If there is an
  /// error, the other values are nil.
  public typealias ResultsHandler =
    @Sendable (HKAnchoredObjectQuery, [HKSample]?, [HKDeletedObject]?, HKQueryAnchor?, (any Error)?) -> Void

  private let request: Result<AnchoredRequest, HKError>
  private let handler: ResultsHandler
  private let update = Mutex<ResultsHandler?>(nil)

  /// Creates a query for one sample type.
  /// - Parameters:
  ///   - anchor: The position from which to read changes; nil for all changes.
  ///   - limit: The maximum number of additions and deletions together; `HKObjectQueryNoLimit` for all.
  ///   - handler: Called once, with the changes made before the query was executed.
  @preconcurrency
  public init(
    type: HKSampleType, predicate: NSPredicate?, anchor: HKQueryAnchor?, limit: Int,
    resultsHandler handler: @escaping ResultsHandler
  ) {
    let translation = predicate.map(PredicateTranslation.init)
    request = Result { () throws(HKError) in
      AnchoredRequest(try ChangeRequest(type, translation), anchor, limit)
    }
    self.handler = handler
    super.init(type, translation)
  }

  /// Creates a query with an integer anchor, as in the first version of HealthKit. An integer anchor is valid
  /// for a single store only.
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

  /// Creates a query for samples that match any of the descriptors.
  @preconcurrency
  public init(
    queryDescriptors: [HKQueryDescriptor], anchor: HKQueryAnchor?, limit: Int,
    resultsHandler handler: @escaping ResultsHandler
  ) {
    request = Result { () throws(HKError) in
      AnchoredRequest(try ChangeRequest(queryDescriptors), anchor, limit)
    }
    self.handler = handler
    super.init(nil, nil)
  }

  /// Called with later changes after the first results, until the query is stopped. Set it before executing
  /// the query.
  ///
  /// The query ends after an error. Traps if the query has a limit (Apple's class raises an exception).
  @preconcurrency
  public var updateHandler: ResultsHandler? {
    get { update.withLock { $0 } }
    set {
      checkIsNew("updateHandler")
      if newValue != nil, case .success(let request) = request, request.limit != nil {
        HKValidationError(.invalidArgument, "a query with a limit has no updates").raise()
      }
      update.withLock { $0 = newValue }
    }
  }

  override func run(in store: HKHealthStore) async {
    let update = updateHandler
    var handler = handler
    do {
      var follower = try AnchoredFollower(request.get(), in: store)
      while let result = try await follower.next() {
        await deliver { [handler] in handler(self, result.added, result.deleted, result.anchor, nil) }
        guard let update else { return }
        handler = update
      }
    } catch {
      await deliver { [handler] in handler(self, nil, nil, nil, error) }
    }
  }
}
