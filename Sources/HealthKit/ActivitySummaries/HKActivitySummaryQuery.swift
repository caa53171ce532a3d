public import Foundation
import Synchronization

/// A query that reads activity summaries and passes them to a handler, once or until it is stopped.
// @unchecked: HKQuery is open. All state is `let`, Sendable or in a Mutex.
open class HKActivitySummaryQuery: HKQuery, @unchecked Sendable {
  /// The arguments are the query, the summaries ordered by day, and an error. If there is an error, the
  /// summaries are nil.
  public typealias ResultsHandler =
    @Sendable (HKActivitySummaryQuery, [HKActivitySummary]?, (any Error)?) -> Void

  private let tree: Result<ConditionTree<ActivitySummaryCondition>?, HKError>
  private let handler: ResultsHandler
  private let update = Mutex<ResultsHandler?>(nil)
  // The predicate that was passed to the initializer. `predicate` returns it unchanged.
  private let given: NSPredicate?

  /// Creates a query.
  /// - Parameters:
  ///   - predicate: Created by `HKQuery.predicateForActivitySummary(with:)` or
  ///     `predicate(forActivitySummariesBetweenStart:end:)`, or a compound of such predicates. Nil for all
  ///     days.
  ///   - resultsHandler: Called once.
  @preconcurrency
  public init(predicate: NSPredicate?, resultsHandler: @escaping ResultsHandler) {
    given = predicate
    tree = ConditionTree.of(predicate)
    handler = resultsHandler
    super.init(HKObjectType.activitySummaryType(), nil)
  }

  public override var predicate: NSPredicate? { given }

  /// Called with new and changed summaries after the first results, until the query is stopped. Set it before
  /// executing the query.
  @preconcurrency
  public var updateHandler: ResultsHandler? {
    get { update.withLock { $0 } }
    set {
      checkIsNew("updateHandler")
      update.withLock { $0 = newValue }
    }
  }

  override func run(in store: HKHealthStore) async {
    do {
      guard let update = updateHandler else {
        return await deliverCopies(handler, try await store.activitySummaries(tree.get()))
      }
      var follower = try await ActivitySummaryFollower(tree.get(), in: store)
      var isFirst = true
      while let result = try await follower.next() {
        if isFirst {
          await deliverCopies(handler, result.all)
        } else if !result.changed.isEmpty {
          await deliverCopies(update, result.changed)
        }
        isFirst = false
      }
    } catch {
      await deliver { self.handler(self, nil, error) }
    }
  }

  private func deliverCopies(_ handler: @escaping ResultsHandler, _ summaries: [HKActivitySummary]) async {
    // Pass copies, because the handler may modify the summaries. The query compares the originals with later
    // results.
    nonisolated(unsafe) let copies = summaries.compactMap { $0.copy() as? HKActivitySummary }
    await deliver { handler(self, copies, nil) }
  }
}
