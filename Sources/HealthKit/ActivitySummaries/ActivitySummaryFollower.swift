import HealthStorage

/// Answers a question about days, and goes on as their figures change.
struct ActivitySummaryFollower: AnswerFollower {
  private let store: HKHealthStore
  private let tree: ConditionTree<ActivitySummaryCondition>?
  private var changes: ChangeFollower
  private var known: [HKActivitySummary]?

  init(_ tree: ConditionTree<ActivitySummaryCondition>?, in store: HKHealthStore) async throws {
    self.store = store
    self.tree = tree
    _ = try store.admit(.read([HKObjectType.activitySummaryType()]))
    // Before the first reading, so that nothing is missed in between.
    changes = try await ChangeFollower(
      ChangeQuestion(filters: ActivityTally.sampleTypes.map { ($0, .everything) }), in: store.unrestricted)
  }

  /// At first all summaries, at once; then, as soon as one is different, all of them and those that are new
  /// or different.
  /// - Returns: nil once the task is cancelled.
  mutating func next() async throws -> (all: [HKActivitySummary], changed: [HKActivitySummary])? {
    guard let before = known else {
      let all = try await store.activitySummaries(tree)
      known = all
      return (all, all)
    }
    while try await changes.next() != nil {
      let all = try await store.activitySummaries(tree)
      let changed = all.filter { !before.contains($0) }
      guard !changed.isEmpty || all.count != before.count else { continue }
      known = all
      return (all, changed)
    }
    return nil
  }
}
