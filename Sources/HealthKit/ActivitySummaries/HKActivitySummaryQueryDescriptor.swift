public import Foundation

/// Asks for the activity of days, once or again and again.
public struct HKActivitySummaryQueryDescriptor: HKAsyncQuery, HKAsyncSequenceQuery, Sendable {
  private var tree: Result<ConditionTree<ActivitySummaryCondition>?, HKError>

  /// - Parameter predicate: made by `HKQuery.predicateForActivitySummary(with:)` or
  ///   `predicate(forActivitySummariesBetweenStart:end:)`, or a compound of such; nil for all days.
  public init(predicate: NSPredicate?) {
    tree = ConditionTree.of(predicate)
  }

  /// An equivalent of the predicate given. (It is kept in a form of its own, since `NSPredicate` must not
  /// cross threads.)
  public var predicate: NSPredicate? {
    get { try? tree.get().map { ConditionPredicate($0) } }
    set { tree = ConditionTree.of(newValue) }
  }

  /// The summaries in the order of their days.
  /// - Throws: `HKError`: errorInvalidArgument for another kind of predicate.
  public func result(for store: HKHealthStore) async throws -> [HKActivitySummary] {
    try await store.activitySummaries(tree.get())
  }

  /// At first all summaries, then all of them again as soon as one is different, until the task is cancelled.
  public func results(for store: HKHealthStore) -> Results {
    Results { try await ActivitySummaryFollower(tree.get(), in: store) }
  }

  /// Summaries, again and again. Throws as `result(for:)` does.
  public struct Results: AsyncSequence, Sendable {
    public typealias Element = [HKActivitySummary]

    fileprivate let follow: @Sendable () async throws -> ActivitySummaryFollower

    public func makeAsyncIterator() -> Iterator {
      Iterator(follower: LateFollower(follow))
    }

    public struct Iterator: AsyncIteratorProtocol {
      fileprivate var follower: LateFollower<ActivitySummaryFollower>

      /// nil once the task is cancelled.
      public mutating func next() async throws -> [HKActivitySummary]? {
        try await follower.next()?.all
      }
    }
  }
}
