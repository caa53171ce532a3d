import HealthStorage

/// Answers a question about effort, and goes on with what is related from then on.
struct EffortFollower: AnswerFollower {
  private let store: HKHealthStore
  private var question: EffortQuestion
  private var ticks: AsyncStream<Void>.Iterator
  private var isFirst = true

  /// - Throws: `HKError`, as a read of these types does.
  init(_ question: EffortQuestion, in store: HKHealthStore) throws {
    self.store = store
    self.question = question
    ticks = try store.admit(.read(question.types)).commits().makeAsyncIterator()
  }

  /// First, at once, what is there, even if that is nothing. Then what is newer, as soon as there is
  /// something.
  /// - Returns: nil once the task is cancelled.
  mutating func next() async throws -> EffortAnswer? {
    while !Task.isCancelled {
      if !isFirst, await ticks.next() == nil { return nil }
      let answer = try await store.effort(question)
      question.anchor = answer.anchor
      defer { isFirst = false }
      if isFirst || !answer.relationships.isEmpty { return answer }
    }
    return nil
  }
}
