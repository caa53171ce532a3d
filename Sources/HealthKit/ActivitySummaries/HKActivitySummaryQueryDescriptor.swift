public import Foundation
import HealthStorage

/// A query that reads activity summaries, once or continuously.
public struct HKActivitySummaryQueryDescriptor: HKAsyncQuery, HKAsyncSequenceQuery, Sendable {
  private var tree: Result<ConditionTree<ActivitySummaryCondition>?, HKError>

  /// Creates a query.
  /// - Parameter predicate: Created by `HKQuery.predicateForActivitySummary(with:)` or
  ///   `predicate(forActivitySummariesBetweenStart:end:)`, or a compound of such predicates. Nil for all
  ///   days.
  public init(predicate: NSPredicate?) {
    tree = ConditionTree.of(predicate)
  }

  /// An equivalent of the predicate passed to the initializer. Rebuilt on each access because `NSPredicate`
  /// is not Sendable.
  public var predicate: NSPredicate? {
    get { try? tree.get().map { ConditionPredicate($0) } }
    set { tree = ConditionTree.of(newValue) }
  }

  /// Returns the summaries ordered by day.
  /// - Throws: `HKError` errorInvalidArgument for an unsupported predicate.
  public func result(for store: HKHealthStore) async throws -> [HKActivitySummary] {
    try await store.activitySummaries(tree.get())
  }

  /// Returns a sequence whose elements contain all summaries: first the current ones, then again after each
  /// change. It ends when the task is canceled.
  public func results(for store: HKHealthStore) -> Results {
    Results { try await ActivitySummaryFollower(tree.get(), in: store) }
  }

  /// The summaries and their updates. Iterating throws the errors of `result(for:)`.
  public struct Results: AsyncSequence, Sendable {
    public typealias Element = [HKActivitySummary]

    fileprivate let follow: @Sendable () async throws -> ActivitySummaryFollower

    public func makeAsyncIterator() -> Iterator {
      Iterator(follower: LateFollower(follow))
    }

    public struct Iterator: AsyncIteratorProtocol {
      fileprivate var follower: LateFollower<ActivitySummaryFollower>

      /// Returns the next result, or nil after the task is canceled.
      public mutating func next() async throws -> [HKActivitySummary]? {
        try await follower.next()?.all
      }
    }
  }
}

// MARK: - Updates

/// Reads activity summaries, and reads them again when their samples or goals change.
struct ActivitySummaryFollower: ResultObserver {
  private let store: HKHealthStore
  private let tree: ConditionTree<ActivitySummaryCondition>?
  private var changes: ChangeFollower
  private var known: [HKActivitySummary]?

  init(_ tree: ConditionTree<ActivitySummaryCondition>?, in store: HKHealthStore) async throws {
    self.store = store
    self.tree = tree
    _ = try store.admit(.read([HKObjectType.activitySummaryType()]))
    // Subscribe to changes before the first read, so that no change in between is missed.
    changes = try await ChangeFollower(
      ChangeRequest(filters: ActivityTally.sampleTypes.map { ($0, .everything) }),
      or: {
        try await $0.activityGoals(of: HKObjectType.activitySummaryType().identifier)?.map { "\($0)" } ?? []
      }, in: store.unrestricted)
  }

  /// Returns all summaries on the first call. Later calls wait for a change, and return all summaries as well
  /// as the new or changed ones.
  /// - Returns: Nil after the task is canceled.
  mutating func next() async throws -> (all: [HKActivitySummary], changed: [HKActivitySummary])? {
    guard let before = known else {
      let all = try await store.activitySummaries(tree)
      known = all
      return (all, all)
    }
    let (store, tree) = (store, tree)
    while try await changes.next() != nil {
      let all = try await HKError.waitingWhileLocked { try await store.activitySummaries(tree) }
      let changed = all.filter { !before.contains($0) }
      guard !changed.isEmpty || all.count != before.count else { continue }
      known = all
      return (all, changed)
    }
    return nil
  }
}
