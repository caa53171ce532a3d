/// Calculates a statistics collection, and anew whenever the samples that it is about have changed.
struct StatisticsFollower: AnswerFollower {
  struct Answer {
    var collection: HKStatisticsCollection
    /// What differs from the last answer, in order; nil in the first. An interval that has lost all its
    /// samples is among them, without quantities.
    var updated: [HKStatistics]?
  }

  private let store: HKHealthStore
  private let question: StatisticsQuestion
  private let intervals: StatisticsIntervals
  private var changes: ChangeFollower
  private var latest: HKStatisticsCollection?

  /// - Throws: `HKError`, as a read of the type does.
  init(_ question: StatisticsQuestion, _ intervals: StatisticsIntervals, in store: HKHealthStore) async throws
  {
    self.store = store
    self.question = question
    self.intervals = intervals
    // Before the first calculation, so that nothing is missed in between.
    changes = try await ChangeFollower(
      ChangeQuestion(question.type, question.predicate), orAnotherOrderOf: question.type, in: store)
  }

  /// At first the collection as it is, at once; then as soon as one of its statistics has changed.
  /// - Returns: nil once the task is cancelled.
  mutating func next() async throws -> Answer? {
    guard var earlier = latest else {
      let collection = try await store.statisticsCollection(question, intervals)
      latest = collection
      return Answer(collection: collection)
    }
    while try await changes.next() != nil {
      let collection = try await store.statisticsCollection(question, intervals)
      let updated = collection.differences(from: earlier)
      earlier = collection
      latest = collection
      if !updated.isEmpty { return Answer(collection: collection, updated: updated) }
    }
    return nil
  }
}
