public import Foundation
import Synchronization

/// Asks for the activity of days, in the style of completion handlers: once, or until it is stopped.
// @unchecked: as for HKQuery.
open class HKActivitySummaryQuery: HKQuery, @unchecked Sendable {
  /// The summaries in the order of their days; with an error nil.
  public typealias ResultsHandler =
    @Sendable (HKActivitySummaryQuery, [HKActivitySummary]?, (any Error)?) -> Void

  private let tree: Result<ConditionTree<ActivitySummaryCondition>?, HKError>
  private let handler: ResultsHandler
  private let update = Mutex<ResultsHandler?>(nil)
  // Handed out as it was given; it is never changed.
  private let given: NSPredicate?

  /// - Parameters:
  ///   - predicate: made by `HKQuery.predicateForActivitySummary(with:)` or
  ///     `predicate(forActivitySummariesBetweenStart:end:)`, or a compound of such; nil for all days.
  ///   - resultsHandler: called once.
  @preconcurrency
  public init(predicate: NSPredicate?, resultsHandler: @escaping ResultsHandler) {
    given = predicate
    tree = ConditionTree.of(predicate)
    handler = resultsHandler
    super.init(HKObjectType.activitySummaryType(), nil)
  }

  public override var predicate: NSPredicate? { given }

  /// Called with summaries that are new or have changed after the first results, until the query is stopped.
  /// To be set before the query is executed.
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
        return await tell(handler, try await store.activitySummaries(tree.get()))
      }
      var follower = try await ActivitySummaryFollower(tree.get(), in: store)
      var isFirst = true
      while let answer = try await follower.next() {
        if isFirst {
          await tell(handler, answer.all)
        } else if !answer.changed.isEmpty {
          await tell(update, answer.changed)
        }
        isFirst = false
      }
    } catch {
      await deliver { self.handler(self, nil, error) }
    }
  }

  private func tell(_ handler: @escaping ResultsHandler, _ summaries: [HKActivitySummary]) async {
    // Copies, of which nobody else has any: a summary can be changed, and the follower compares with its own.
    nonisolated(unsafe) let copies = summaries.compactMap { $0.copy() as? HKActivitySummary }
    await deliver { handler(self, copies, nil) }
  }
}
