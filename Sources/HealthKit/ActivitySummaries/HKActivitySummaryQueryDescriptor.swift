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
    Results(descriptor: self, store: store)
  }

  /// Summaries, again and again. Throws as `result(for:)` does.
  public struct Results: AsyncSequence, Sendable {
    public typealias Element = [HKActivitySummary]

    fileprivate let descriptor: HKActivitySummaryQueryDescriptor
    fileprivate let store: HKHealthStore

    public func makeAsyncIterator() -> Iterator {
      Iterator(descriptor: descriptor, store: store)
    }

    public struct Iterator: AsyncIteratorProtocol {
      private let descriptor: HKActivitySummaryQueryDescriptor
      private let store: HKHealthStore
      private var follower: ActivitySummaryFollower?

      fileprivate init(descriptor: HKActivitySummaryQueryDescriptor, store: HKHealthStore) {
        self.descriptor = descriptor
        self.store = store
      }

      /// nil once the task is cancelled.
      public mutating func next() async throws -> [HKActivitySummary]? {
        if follower == nil {
          follower = try await ActivitySummaryFollower(descriptor.tree.get(), in: store)
        }
        return try await follower?.next()?.all
      }
    }
  }
}
