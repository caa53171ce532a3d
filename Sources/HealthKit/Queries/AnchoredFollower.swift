import HealthStorage

/// Answers an anchored question, and goes on with what is committed from then on.
struct AnchoredFollower: AnswerFollower {
  private let store: HKHealthStore
  private var question: AnchoredQuestion
  private var ticks: AsyncStream<Void>.Iterator
  private var isFirst = true
  /// Whether the limit may have kept something back.
  private var mayHaveMore = false

  /// - Throws: `HKError`, as a read of these types does.
  init(_ question: AnchoredQuestion, in store: HKHealthStore) throws {
    self.store = store
    self.question = question
    ticks = try store.admit(.read(question.samples.types)).commits().makeAsyncIterator()
  }

  /// First, at once, what happened since the anchor, even if that is nothing. Then what happened since the
  /// last answer, as soon as something has.
  /// - Returns: nil once the task is cancelled.
  mutating func next() async throws -> AnchoredAnswer? {
    while !Task.isCancelled {
      if !isFirst, !mayHaveMore, await ticks.next() == nil { return nil }
      let answer = try await store.changes(question)
      question.anchor = answer.anchor
      mayHaveMore = answer.added.count + answer.deleted.count == question.limit
      defer { isFirst = false }
      if isFirst || !answer.isEmpty { return answer }
    }
    return nil
  }
}
