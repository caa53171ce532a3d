/// A statistics collection that is calculated anew when the store has changed.
struct FollowedStatistics: Sendable {
  private let question: StatisticsQuestion
  private let intervals: StatisticsIntervals
  private var latest: HKStatisticsCollection?

  init(_ question: StatisticsQuestion, _ intervals: StatisticsIntervals) {
    self.question = question
    self.intervals = intervals
  }

  /// - Returns: the collection as it is now, and of what differs from the last time the statistics in order; nil at
  ///   the first time. An interval that holds no samples any more is among them, without quantities.
  mutating func recalculate(
    in store: HKHealthStore
  ) async throws -> (collection: HKStatisticsCollection, updated: [HKStatistics]?) {
    let collection = try await store.statisticsCollection(question, intervals)
    defer { latest = collection }
    return (collection, latest.map { collection.differences(from: $0) })
  }
}
